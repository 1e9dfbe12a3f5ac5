import assert from "node:assert/strict";
import test from "node:test";
import { fittedSides, mostWithRoom, roomySide } from "../src/room";
import { generator, integer } from "./random";

test("fewer pictures are larger, in steps, and never larger than their thumbnails", () => {
  const side = (count: number) => roomySide(1200, 800, count, 26, 96);
  assert.equal(side(1), 96);
  assert(side(60) > 60);
  assert.equal(side(60), side(61), "one more in view changes nothing");
  assert.equal(side(10_000), 26);
  const most = mostWithRoom(1200, 800, 26);
  assert(side(most) > 26 && side(most + 10) === 26);
});

test("pictures do not cover each other, and almost all are shown", () => {
  const random = generator(4);
  for (let round = 0; round < 20; round++) {
    const places = Array.from({ length: 60 }, () => ({ x: integer(random, 1200), y: integer(random, 800), widest: Infinity }));
    const sides = fittedSides(places, 40, 80);
    for (let a = 0; a < 60; a++) {
      assert(sides[a] === 0 || (sides[a] >= 20 && sides[a] <= 80));
      for (let b = 0; b < a; b++) {
        const distance = Math.max(Math.abs(places[a].x - places[b].x), Math.abs(places[a].y - places[b].y));
        if (sides[a] && sides[b]) assert(distance >= (sides[a] + sides[b]) / 2);
      }
    }
    assert(sides.filter(Boolean).length > 45);
  }
});

test("where two are too near, the more important one is shown, as large as if it were alone", () => {
  const places = [[0, 0], [25, 0], [0, 8], [500, 500], [560, 540]].map(([x, y]) => ({ x, y, widest: Infinity }));
  assert.deepEqual(fittedSides(places, 30, 90), [25, 25, 0, 60, 60]);
  assert.deepEqual(fittedSides(places.slice(2), 30, 90), [90, 60, 60]);
});

test("beside a name a picture is smaller, and under it a dot", () => {
  const places = [{ x: 0, y: 0, widest: 40 }, { x: 200, y: 0, widest: -7 }];
  assert.deepEqual(fittedSides(places, 30, 90), [40, 0]);
});
