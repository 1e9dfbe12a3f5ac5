import assert from "node:assert/strict";
import test from "node:test";
import { formatAddress, parseAddress } from "../src/address";
import { colourOptions } from "../src/colouring";
import type { Content } from "../src/content";
import { NO_FILTERS, type Rule } from "../src/filters";
import { NO_REGION } from "../src/regions";
import { NO_ITEM, State } from "../src/state";
import { CLOSED } from "../src/table";
import { type Kind, openMap } from "./maps";
import { between, generator, integer } from "./random";

const WHOLE = { x: -0.25, y: 0, k: 376 };
const NAMES = ["dog", "a&b=c", "50%", "#1", "a+b c", "naïve 犬 🐕", "two\nlines", '{"x": [1]}', "", "0", "-1", "../.."];
const RULE: Rule = { kind: "range", from: 2, to: 3.5, missing: false };
const REGIONS = ["sea & sky", "50%", "50%", "犬, 猫"];

function map(): Promise<Content> {
  const column = { name: "year", categories: null };
  const kinds = [
    { name: "image", places: Array(5).fill([0, 0]), columns: [{ ...column, values: [1, 2, 3, 4, 5] }] },
    { name: "tag & co=1", places: NAMES.map(() => [0, 0]), names: NAMES },
    { name: '["a"]', places: [[0, 0]], columns: [{ ...column, values: [1] }, { ...column, name: "a&b", values: [2] }] },
  ] as Kind[];
  const corner = REGIONS.map((): [number, number] => [0, 0]);
  const packed = { words: REGIONS.map((name) => [name]), parents: REGIONS.map(() => -1), centres: corner, outlines: REGIONS.map(() => []) };
  return openMap(kinds, [], {}, {}, { packed, innermost: Array<number>(5 + NAMES.length + 1).fill(0) });
}

test("every state comes back from its address", async () => {
  const content = await map();
  const random = generator(9);
  const keys = colourOptions(content).map((option) => option.key);
  for (let pinned = NO_ITEM; pinned < content.count; pinned++) {
    for (let hidden = 0; hidden < 8; hidden++) {
      const state = new State("light");
      state.pinned.value = pinned;
      state.hidden.value = new Set([0, 1, 2].filter((index) => hidden & (1 << index)));
      state.colour.value = keys[integer(random, keys.length)];
      state.region.value = integer(random, REGIONS.length + 1) - 1;
      const sort = [null, { key: "name", descending: true }, { key: "region", descending: false }][integer(random, 3)];
      state.table.value = integer(random, 2) ? { open: true, kind: integer(random, 3), sort } : CLOSED;
      if (integer(random, 2)) state.filters.value = { rules: new Map([["0.0", RULE], ["2.1", { ...RULE, to: Infinity }]]), linked: integer(random, 2) === 1 };
      state.dimming.value = state.filters.value.rules.size > 0 && integer(random, 2) === 1;
      const view = { x: between(random, -1.5, 1.5), y: between(random, -1.5, 1.5), k: 400 * 10 ** between(random, -0.5, 3.6) };
      const found = parseAddress(content, `#${formatAddress(content, state, view, WHOLE)}`, WHOLE);
      assert.equal(found.pinned, pinned);
      assert.deepEqual(found.hidden, state.hidden.value);
      assert.equal(found.colour, state.colour.value);
      assert.equal(found.region, state.region.value);
      assert.deepEqual(found.table, state.table.value);
      assert.deepEqual(found.filters, state.filters.value);
      assert.equal(found.dimming, state.dimming.value);
      assert(found.view);
      for (const part of ["x", "y", "k"] as const) {
        assert(Math.abs(found.view![part] - view[part]) <= 1e-6 * Math.abs(view[part]), `${part} to seven digits`);
      }
    }
  }
});

test("zoom is relative to the whole map, so that an address means the same on every screen", async () => {
  const content = await map();
  const address = formatAddress(content, new State("light"), { x: 0.1, y: 0.2, k: 3760 }, WHOLE);
  assert.deepEqual(parseAddress(content, address, { ...WHOLE, k: 200 }).view, { x: 0.1, y: 0.2, k: 2000 });
});

test("the address of the whole map says where, and nothing else", async () => {
  assert.equal(formatAddress(await map(), new State("light"), WHOLE, WHOLE), "at=-0.25%2C0%2C1");
});

const GARBAGE = [
  "", "#", "at=", "at=1", "at=1,2", "at=1,x,-3", "at=0,0,0", "at=0,0,-1", "at=NaN,0,1", "at=0,0,Infinity",
  "at=1e999,0,1", "kind=ghost&item=dog", "kind=image", "item=dog", "kind=image&item=5", "kind=image&item=-1",
  "kind=image&item=1.5", "kind=image&item=x", "kind=image&item=", "kind=image&item=0x1", "kind=image&item=%201",
  "at=,,1", "kind=tag%20%26%20co%3D1&item=cat", "hide={", "hide=null", "hide=3", "hide=\"image\"", "hide=[[]]",
  "hide=[\"ghost\",1,null]", "colour=9.9", "colour=0", "colour=.", "colour=0.0.1", "colour= 0.0", "colour=0.-1",
  "colour=1.0", "colour=__proto__", "region=", "region=Berlin", "filter={", "filter=null", "filter=[1]", "filter={\"image\":{\"month\":{\"from\":1}}}", "filter={\"ghost\":{\"year\":{\"from\":1}}}",
  "filter={\"image\":{\"year\":{\"from\":\"x\"}}}", "linked=1", "table=", "table=ghost", "sort=name", "dim=1&filter={}", "region=0", "%", "%E0%A4%A", "=", "&&&", "at=%00", "<img src=x onerror=alert(1)>",
];

const NOTHING = { view: null, pinned: NO_ITEM, hidden: [], colour: "", region: NO_REGION, filters: NO_FILTERS, dimming: false, table: CLOSED };

test("an address that means nothing asks for nothing", async () => {
  const content = await map();
  for (const address of GARBAGE) {
    const found = parseAddress(content, `#${address}`, WHOLE);
    assert.deepEqual({ ...found, hidden: [...found.hidden] }, NOTHING, address);
  }
});

test("whatever an address says, what it asks for is there", async () => {
  const content = await map();
  const random = generator(10);
  const keys = new Set(colourOptions(content).map((option) => option.key));
  const words = ["at=", "kind=", "item=", "hide=", "colour=", "image", "dog", "0", "1", ".", ",", "&", "[", '"', "%", "-", "e", "tag"];
  for (let round = 0; round < 5000; round++) {
    const address = Array.from({ length: integer(random, 14) }, () => words[integer(random, words.length)]).join("");
    const { view, pinned, hidden, colour } = parseAddress(content, address, WHOLE);
    assert(view === null || (Number.isFinite(view.x) && Number.isFinite(view.y) && view.k > 0 && Number.isFinite(view.k)), address);
    assert(Number.isInteger(pinned) && pinned >= NO_ITEM && pinned < content.count, address);
    assert([...hidden].every((index) => index in content.domains), address);
    assert(keys.has(colour), address);
  }
});

test("of items with the same name, the address means one by its id", async () => {
  const works = { name: "work", places: [[0, 0], [1, 1]] as [number, number][], names: ["untitled", "untitled"], ids: ["A1", "A2"] };
  const content = await openMap([works]);
  const state = new State("light");
  state.pinned.value = 1;
  const address = formatAddress(content, state, WHOLE, WHOLE);
  assert(address.includes("item=A2"));
  assert.equal(parseAddress(content, address, WHOLE).pinned, 1);
});
