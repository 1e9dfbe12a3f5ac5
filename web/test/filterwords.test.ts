import assert from "node:assert/strict";
import test from "node:test";
import { type Content, MISSING } from "../src/content";
import type { Rule } from "../src/filters";
import { filterWords, rulesOf } from "../src/filterwords";
import { openMap } from "./maps";

function map(): Promise<Content> {
  const places: [number, number][] = [[0, 0], [0, 0]];
  const columns = [
    { name: "year", categories: null, values: [1990, NaN] },
    { name: "place", categories: ["Rome", "Paris", "Oslo"], values: [0, MISSING] },
    { name: "caption", kind: "text" as const, categories: null, values: ["a", "b"] },
    { name: "day", kind: "date" as const, categories: null, values: [0, 1] },
  ];
  return openMap([{ name: "photo", places, columns }]);
}

const RULES: [string, Rule, object][] = [
  ["0.0", { kind: "range", from: 1990, to: Infinity, missing: false }, { from: 1990, missing: false }],
  ["0.0", { kind: "range", from: -Infinity, to: 2000.5, missing: true }, { to: 2000.5, missing: true }],
  ["0.0", { kind: "range", from: -Infinity, to: Infinity, missing: false }, { missing: false }],
  ["0.1", { kind: "category", off: new Set([0, 2]), missing: false }, { only: ["Paris"], missing: false }],
  ["0.1", { kind: "category", off: new Set([0, 1, 2]), missing: true }, { only: [], missing: true }],
  ["0.1", { kind: "category", off: new Set([1]), missing: true }, { except: ["Paris"], missing: true }],
  ["0.2", { kind: "text", text: "dog & cat" }, { contains: "dog & cat" }],
  ["0.3", { kind: "range", from: 0, to: 11_000, missing: false }, { from: "1970-01-01", to: "2000-02-13", missing: false }],
  ["0.3", { kind: "range", from: -800_000, to: Infinity, missing: false }, { from: -800_000, missing: false }],
];

test("every rule comes back from its words", async () => {
  const content = await map();
  for (const [key, rule, words] of RULES) {
    const name = ["year", "place", "caption", "day"][Number(key.slice(2))];
    const found = filterWords(content, { rules: new Map([[key, rule]]), linked: false });
    assert.deepEqual(found, { photo: { [name]: words } });
    assert.deepEqual(rulesOf(content, JSON.parse(JSON.stringify(found))), new Map([[key, rule]]));
  }
});

test("words that mean nothing are no rules", async () => {
  const content = await map();
  const nothing: unknown[] = [
    null, 3, "x", [], {}, { photo: null }, { photo: [1] }, { tag: { year: { from: 1 } } }, { photo: { month: { from: 1 } } },
    ...[{ from: "x" }, { from: NaN }, { to: [1] }, {}, null, 5, [1, 2], { missing: true }, { from: "2001-01-01" }, { from: 2, to: 1 }].map((year) => ({ photo: { year } })),
    ...[{ only: ["London"] }, { only: "Rome" }, { except: [] }, { except: ["London"] }, { missing: 1 }, { only: ["Rome", "Paris", "Oslo"], missing: true }].map((place) => ({ photo: { place } })),
    ...[{ contains: "  " }, { contains: 5 }, "dog"].map((caption) => ({ photo: { caption } })),
    ...[{ from: "2001-13-45" }, { from: "yesterday" }, { to: "2001" }].map((day) => ({ photo: { day } })),
    { photo: { __proto__: { from: 1 }, constructor: { from: 1 } } },
  ];
  for (const words of nothing) assert.equal(rulesOf(content, words).size, 0, JSON.stringify(words));
});

test("kinds and columns may be called like what every object has", async () => {
  const names = ["constructor", "toString", "valueOf", "__proto__"];
  const columns = names.map((name) => ({ name, categories: null, values: [1, 2] }));
  const content = await openMap(names.map((name) => ({ name, places: [[0, 0], [0, 0]] as [number, number][], columns })));
  const rule: Rule = { kind: "range", from: 2, to: Infinity, missing: false };
  const rules = new Map(names.flatMap((_, kind) => names.map((_, column): [string, Rule] => [`${kind}.${column}`, rule])));
  const found = filterWords(content, { rules, linked: false });
  assert.deepEqual(Object.keys(found).sort(), [...names].sort());
  assert.deepEqual(rulesOf(content, JSON.parse(JSON.stringify(found))), rules);
  assert.equal(rulesOf(content, {}).size, 0, "nothing is left on all objects");
  assert.equal(Object.hasOwn(Object, "constructor"), false);
});
