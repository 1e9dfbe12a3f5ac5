import assert from "node:assert/strict";
import test from "node:test";
import { type Content, MISSING } from "../src/content";
import { type Filters, NO_FILTERS, type Rule, Sieve, failures, onlyThese, ranged, switched, withRule } from "../src/filters";
import { openMap } from "./maps";
import { between, generator, integer } from "./random";

const PLACES = (count: number) => Array.from({ length: count }, (): [number, number] => [0, 0]);

/** Six photos with a year, a place and a caption, and three tags; photo 0 and 1 have tag 0, photo 2 has tag 1. */
function map(): Promise<Content> {
  const columns = [
    { name: "year", categories: null, values: [1990, 1995, NaN, 2000, 2005, 2010] },
    { name: "place", categories: ["Rome", "Paris"], values: [0, 0, 1, 1, MISSING, 0] },
    { name: "caption", kind: "text" as const, categories: null, values: ["A dog", "Café, dogs", null, "cat", "DOG cat", ""] },
    { name: "day", kind: "date" as const, categories: null, values: [0.5, 1, 1.99, 2, -1, NaN] },
  ];
  const links: [number, number][] = [[0, 0], [1, 0], [2, 1]];
  return openMap([{ name: "photo", places: PLACES(6), columns }, { name: "tag", places: PLACES(3) }], [{ a: 0, b: 1, links }]);
}

function filters(rules: [string, Rule][], linked = false): Filters {
  return { rules: new Map(rules), linked };
}

const RANGE = (from: number, to: number, missing = false): Rule => ({ kind: "range", from, to, missing });

async function failing(position: number, rule: Rule): Promise<number[]> {
  const [photos] = (await map()).domains;
  return [...failures(photos.columns[position], rule, photos.count)];
}

test("both ends of a range belong to it, and items without a value pass if they may", async () => {
  assert.deepEqual(await failing(0, RANGE(1995, 2005)), [1, 0, 1, 0, 0, 1]);
  assert.deepEqual(await failing(0, RANGE(1995, Infinity, true)), [1, 0, 0, 0, 0, 0]);
  assert.deepEqual(await failing(0, RANGE(-Infinity, Infinity)), [0, 0, 1, 0, 0, 0]);
});

test("an end of a range is a number as the values are", async () => {
  const content = await openMap([{ name: "a", places: PLACES(2), columns: [{ name: "x", categories: null, values: [0.1, 0.3] }] }]);
  const [column] = content.domains[0].columns;
  assert.deepEqual([...failures(column, RANGE(0.1, 0.3), 2)], [0, 0]);
});

test("a day ends with its last hour", async () => {
  assert.deepEqual(await failing(3, RANGE(0, 1)), [0, 0, 0, 1, 1, 1]);
});

test("a first range leaves out what has no value, and what leaves everything open changes nothing", () => {
  const open = { from: -Infinity, to: Infinity };
  const some = { from: 1995, to: Infinity };
  assert.equal(ranged(undefined, some).missing, false);
  assert.equal(ranged(undefined, open).missing, true, "a key that moves nothing");
  for (const missing of [true, false]) {
    assert.equal(ranged({ kind: "range", ...some, missing }, { from: 1990, to: 2000 }).missing, missing);
    assert.equal(ranged({ kind: "range", ...some, missing }, open).missing, true, "without a range");
    assert.equal(ranged({ kind: "range", ...open, missing }, open).missing, missing);
    assert.equal(ranged({ kind: "range", ...open, missing }, some).missing, missing, "as it has been chosen");
  }
});

test("categories are switched off, and all but some with one choice", async () => {
  const off = switched(undefined, [1], false);
  assert.deepEqual(await failing(1, off), [0, 0, 1, 1, 0, 0]);
  assert.deepEqual(await failing(1, switched(off, [1], true)), [0, 0, 0, 0, 0, 0]);
  const { columns } = (await map()).domains[0];
  assert.deepEqual(await failing(1, onlyThese(columns[1], [1])), [1, 1, 0, 0, 1, 1]);
});

test("texts have all the words, whatever their case and accents", async () => {
  assert.deepEqual(await failing(2, { kind: "text", text: "dog" }), [0, 0, 1, 1, 0, 1]);
  assert.deepEqual(await failing(2, { kind: "text", text: " cat  dog " }), [1, 1, 1, 1, 0, 1]);
  assert.deepEqual(await failing(2, { kind: "text", text: "CAFE" }), [1, 0, 1, 1, 1, 1]);
});

test("a rule that everything passes is no rule", () => {
  const some = withRule(NO_FILTERS, "0.0", RANGE(1, 2));
  assert.equal(some.rules.size, 1);
  for (const rule of [null, RANGE(-Infinity, Infinity, true), switched(undefined, [], false), { kind: "text", text: " " } as const]) {
    assert.equal(withRule(some, "0.0", rule).rules.size, 0);
  }
  assert.equal(withRule(some, "0.0", RANGE(-Infinity, Infinity)).rules.size, 1, "but for items without a value");
});

test("rules combine, and other kinds stay", async () => {
  const sieve = new Sieve(await map());
  assert.equal(sieve.apply(NO_FILTERS), null);
  const years: [string, Rule] = ["0.0", RANGE(1995, 2010)];
  const places: [string, Rule] = ["0.1", { kind: "category", off: new Set([1]), missing: false }];
  assert.deepEqual([...sieve.apply(filters([years]))!], [0, 1, 0, 1, 1, 1, 1, 1, 1]);
  assert.deepEqual([...sieve.apply(filters([years, places]))!], [0, 1, 0, 0, 0, 1, 1, 1, 1]);
  assert.deepEqual([...sieve.apply(filters([places]))!], [1, 1, 0, 0, 0, 1, 1, 1, 1]);
  assert.equal(sieve.apply(NO_FILTERS), null);
});

test("of other kinds, only what is linked to something that passes, if one wishes", async () => {
  const sieve = new Sieve(await map());
  assert.deepEqual([...sieve.apply(filters([["0.0", RANGE(1995, 1995)]], true))!].slice(6), [1, 0, 0]);
  assert.deepEqual([...sieve.apply(filters([["0.0", RANGE(0, 1)]], true))!].slice(6), [0, 0, 0]);
  assert.deepEqual([...sieve.apply(filters([["0.0", RANGE(0, 1, true)]], true))!].slice(6), [0, 1, 0]);
});

test("a column is counted without its own rule, with those of others", async () => {
  const content = await map();
  const [photos] = content.domains;
  const sieve = new Sieve(content);
  sieve.apply(filters([["0.0", RANGE(1995, 2010)], ["0.1", switched(undefined, [0], false)]]));
  assert.deepEqual([...sieve.counts("0.1", photos, photos.columns[1].values as Uint16Array, 2)], [2, 1]);
  const halves = Uint8Array.from([0, 0, 255, 1, 1, 1]);
  assert.deepEqual([...sieve.counts("0.0", photos, halves, 2)], [0, 2]);
  assert.deepEqual([...sieve.counts("0.2", photos, halves, 2)], [0, 2]);
});

test("what passes does not depend on the way one came", async () => {
  const content = await map();
  const random = generator(5);
  const sieve = new Sieve(content);
  const some: [string, Rule][] = [
    ["0.0", RANGE(1995, 2005)], ["0.0", RANGE(1990, 2000, true)], ["0.1", switched(undefined, [1], false)],
    ["0.2", { kind: "text", text: "dog" }], ["0.3", RANGE(0, between(random, 0, 3))], ["9.9", RANGE(0, 1)],
  ];
  for (let round = 0; round < 300; round++) {
    const rules = some.filter(() => integer(random, 2));
    const wanted = filters(rules, integer(random, 2) === 1);
    const [found, fresh] = [sieve.apply(wanted), new Sieve(content).apply(wanted)];
    assert.deepEqual(found && [...found], fresh && [...fresh]);
  }
});
