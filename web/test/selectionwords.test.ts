import assert from "node:assert/strict";
import test from "node:test";
import { selectionOf, selectionWords } from "../src/selectionwords";
import { openMap } from "./maps";

const places: [number, number][] = [[0, 0], [0, 0], [0, 0]];

test("a selection comes back from the names of kinds and positions", async () => {
  const content = await openMap(["photo", "tag"].map((name) => ({ name, places })));
  assert.deepEqual(selectionWords(content, [4, 2, 0]), { photo: [2, 0], tag: [1] });
  assert.deepEqual(selectionOf(content, { tag: [1], photo: [2, 0], other: [1] }), [2, 0, 4]);
  for (const nothing of [{}, null, undefined, { photo: 3 }]) assert.deepEqual(selectionOf(content, nothing), []);
});

test("a kind may be called like what every object has", async () => {
  const names = ["constructor", "toString", "valueOf", "__proto__"];
  const content = await openMap(names.map((name) => ({ name, places })));
  assert.deepEqual(selectionOf(content, {}), []);
  const items = names.map((_, kind) => 3 * kind + 1);
  const words = selectionWords(content, items);
  assert.deepEqual(Object.keys(words).sort(), [...names].sort());
  assert.deepEqual(selectionOf(content, JSON.parse(JSON.stringify(words))), items);
});
