import assert from "node:assert/strict";
import test from "node:test";
import { DrawingTime } from "../src/drawingtime";

test("a drawing takes as long as until it is found to be finished, but for the looking", () => {
  assert.equal(new DrawingTime(1000).finish(1001), 0);
  const slow = new DrawingTime(1000);
  for (let now = 1001; now < 1100; now += 4) slow.wait(now, 4);
  assert.equal(slow.finish(1105), 97);
  const endless = new DrawingTime(0);
  endless.wait(9000, 4);
  assert.equal(endless.finish(9004), 2000);
});

test("while the page does something else, nobody knows how long a drawing took", () => {
  assert.equal(new DrawingTime(1000).finish(1300), null);
  const later = new DrawingTime(1000);
  later.wait(1001, 4);
  assert.equal(later.finish(1300), null);
});

test("a drawing that is not finished after that is measured still", () => {
  const slow = new DrawingTime(1000);
  slow.wait(1300, 4);
  assert.equal(slow.finish(1304), 296);
});
