import assert from "node:assert/strict";
import test from "node:test";
import { SheetBudget, lineOpacity, linkSample, sampleNote } from "../src/highlight";

test("an item may load twelve sheets, however often it is drawn, and the next item as many", () => {
  const budget = new SheetBudget();
  const spent = (item: number) => Array.from({ length: 50 }, () => budget.spend(item)).filter(Boolean).length;
  assert.deepEqual([spent(1), spent(1), spent(2)], [12, 0, 12]);
});

test("of many links the heaviest are drawn and, of equal ones, some from near to far", () => {
  const links = (weights: number[]) => weights.map((weight, item) => ({ item, weight }));
  const few = links([3, 2, 1]);
  assert.deepEqual(linkSample(few, 3), few);
  const equal = links(Array(1000).fill(1));
  assert.deepEqual(linkSample(equal, 4).map(({ item }) => item), [0, 250, 500, 750]);
  const mixed = links([9, 9, ...Array(10).fill(5), 1, 1]);
  assert.deepEqual(linkSample(mixed, 4).map(({ item }) => item), [0, 1, 2, 7]);
});

test("the lines of a frequent item let the map shine through, also where all of them meet", () => {
  assert(lineOpacity(1, 1) > 0.5);
  assert(lineOpacity(120, 1) < 0.2);
  for (const lines of [2, 20, 120]) assert(lineOpacity(lines, 0.1) < lineOpacity(lines, 1));
});

test("an item tells if it has more links than are drawn", () => {
  assert.equal(sampleNote(120), "");
  assert.equal(sampleNote(1340), "120 of 1,340 links are drawn");
});
