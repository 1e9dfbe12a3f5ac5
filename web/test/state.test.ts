import assert from "node:assert/strict";
import test from "node:test";
import { Signal } from "../src/signal";
import { NO_ITEM, State } from "../src/state";

test("listeners are told of changes, and only of changes", () => {
  const signal = new Signal<number>(1);
  const heard: number[] = [];
  signal.on((value) => heard.push(value));
  signal.value = 1;
  signal.value = 2;
  signal.value = NaN;
  signal.value = NaN;
  assert.deepEqual(heard, [2, NaN]);
});

test("the item under the pointer is in focus, or else the pinned one", () => {
  const state = new State("dark");
  assert.equal(state.focus, NO_ITEM);
  state.pinned.value = 3;
  assert.equal(state.focus, 3);
  state.hovered.value = 0;
  assert.equal(state.focus, 0);
});
