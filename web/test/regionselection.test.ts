import assert from "node:assert/strict";
import test from "node:test";
import { NO_REGION } from "../src/regions";
import { RegionSelection } from "../src/regionselection";
import { NO_ITEM, State } from "../src/state";
import { openMap } from "./maps";

/** Five items: two in a region, one in a part of it, one in another, and one in none. */
async function sample() {
  const packed = { words: [["a"], ["b"], ["c"]], parents: [-1, 0, -1], centres: [[0, 0], [0, 0], [0, 0]] as [number, number][], outlines: [[], [], []] };
  const places = Array.from({ length: 5 }, (): [number, number] => [0, 0]);
  const content = await openMap([{ name: "photo", places }], [], {}, {}, { packed, innermost: [0, 0, 1, 2, 65535] });
  const state = new State("light");
  return { state, chosen: new RegionSelection(content, state) };
}

test("the items of a region are selected until others are", async () => {
  const { state, chosen } = await sample();
  state.pinned.value = 4;
  assert.equal(chosen.choose(0), true);
  assert.deepEqual([state.selection.value, state.region.value, state.pinned.value], [[0, 1, 2], 0, NO_ITEM]);
  state.selection.value = [1];
  assert.equal(state.region.value, NO_REGION);
});

test("what does not pass the filters is not selected, but is with the rest once it passes", async () => {
  const { state, chosen } = await sample();
  state.passing.value = Uint8Array.from([0, 1, 1, 0, 1]);
  chosen.choose(0);
  assert.deepEqual(state.selection.value, [1, 2]);
  state.passing.value = Uint8Array.from([1, 0, 0, 0, 1]);
  assert.deepEqual([state.selection.value, state.region.value], [[0, 1, 2], 0], "and what was selected stays so");
  const before = state.selection.value;
  state.passing.value = null;
  assert.equal(state.selection.value, before);
});

test("a region in which nothing passes cannot be chosen", async () => {
  const { state, chosen } = await sample();
  state.pinned.value = 4;
  state.passing.value = Uint8Array.from([1, 1, 1, 0, 1]);
  assert.equal(chosen.choose(2), false);
  assert.deepEqual([state.selection.value, state.region.value, state.pinned.value], [[], NO_REGION, 4]);
});
