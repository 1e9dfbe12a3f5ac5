import assert from "node:assert/strict";
import test from "node:test";
import { MISSING_KEY, numberKeys, sortedByKey, textKey, textKeys } from "../src/sorting";
import { between, generator, integer } from "./random";

const at = (keys: Uint32Array) => (item: number) => keys[item];
const all = (count: number) => Uint32Array.from({ length: count }, (_, item) => item);

test("numbers are sorted as numbers, missing ones last in both directions", () => {
  const values = [3, NaN, -2.5, 0, 1e30, -Infinity, -0, Infinity, 2.5, NaN];
  const keys = numberKeys(values);
  const up = [...sortedByKey(all(10), at(keys), false)].map((item) => values[item]);
  assert.deepEqual(up, [-Infinity, -2.5, 0, -0, 2.5, 3, 1e30, Infinity, NaN, NaN]);
  const down = [...sortedByKey(all(10), at(keys), true)];
  assert.deepEqual(down, [7, 4, 0, 8, 3, 6, 2, 5, 1, 9], "equal ones, and missing ones, in the order in which they were");
});

test("any keys come in the order of a plain stable sort, both ways", () => {
  const random = generator(31);
  for (let round = 0; round < 60; round++) {
    const count = integer(random, 300);
    const largest = [3, 70_000, 0xfffffffe][round % 3];
    const keys = Uint32Array.from({ length: count }, () => (integer(random, 9) ? Math.floor(between(random, 0, largest)) : MISSING_KEY));
    const items = all(count).filter(() => integer(random, 4) > 0).reverse();
    for (const descending of [false, true]) {
      const expected = [...items].sort((a, b) => {
        const missing = Number(keys[a] === MISSING_KEY) - Number(keys[b] === MISSING_KEY);
        return missing || (descending ? keys[b] - keys[a] : keys[a] - keys[b]);
      });
      assert.deepEqual([...sortedByKey(items, at(keys), descending)], expected);
    }
  }
});

test("names are sorted as people read them", async () => {
  const names = ["photo 10", "Zebra", "photo 2", "école", "PHOTO 002", "", "Eagle", null, "photo", "photo 10b", "zèbre", "  "];
  const order = sortedByKey(all(names.length), at(await textKeys(names)), false);
  assert.deepEqual(
    [...order].map((item) => names[item]),
    ["Eagle", "école", "photo", "photo 2", "PHOTO 002", "photo 10", "photo 10b", "Zebra", "zèbre", "", null, "  "],
  );
  assert(textKey("犬 9") < textKey("犬 10"));
  assert(textKey(`a${"9".repeat(60)}`) < textKey("b"), "very long numbers stay before what comes after them");
});

test("many texts are sorted in slices, and others have their turn in between", async () => {
  const random = generator(32);
  const texts = Array.from({ length: 30_000 }, () => `name ${integer(random, 12_000)}`);
  let pauses = 0;
  const keys = await textKeys(texts, async () => void pauses++);
  assert(pauses > 10);
  const order = sortedByKey(all(texts.length), at(keys), false);
  const numbers = [...order].map((item) => Number(texts[item].slice(5)));
  assert(numbers.every((number, position) => position === 0 || numbers[position - 1] <= number));
  assert(order.every((item, position) => position === 0 || numbers[position - 1] < numbers[position] || order[position - 1] < item), "stable");
});
