import assert from "node:assert/strict";
import test from "node:test";
import type { View } from "../src/camera";
import { flightPath } from "../src/flight";
import { between, generator } from "./random";

const RHO = 1.4;
const WIDTH = 1200;

function randomView(random: () => number): View {
  return { x: between(random, -1, 1), y: between(random, -1, 1), k: 300 * 10 ** between(random, 0, 3) };
}

function close(actual: View, expected: View): void {
  assert(Math.hypot(actual.x - expected.x, actual.y - expected.y) * expected.k < 1e-3, "less than a pixel away");
  assert(Math.abs(actual.k / expected.k - 1) < 1e-6);
}

/** Length of a short step in the metric of van Wijk and Nuij, where w is the width of what is seen. */
function stepLength(a: View, b: View): number {
  const w = WIDTH / Math.sqrt(a.k * b.k);
  const moved = Math.hypot(b.x - a.x, b.y - a.y);
  return Math.hypot((RHO * moved) / w, Math.log(a.k / b.k) / RHO);
}

test("a path leads from one view to the other at constant speed", () => {
  const random = generator(3);
  for (let round = 0; round < 50; round++) {
    const [from, to] = [randomView(random), randomView(random)];
    const path = flightPath(from, to, WIDTH);
    close(path.at(0), from);
    close(path.at(1), to);
    for (let step = 0; step < 400; step++) {
      const length = stepLength(path.at(step / 400), path.at((step + 1) / 400));
      assert(Math.abs((400 * length) / path.length - 1) < 1e-3, `${400 * length} of ${path.length}`);
    }
  }
});

test("there and back are equally long", () => {
  const random = generator(4);
  for (let round = 0; round < 50; round++) {
    const [from, to] = [randomView(random), randomView(random)];
    const [there, back] = [flightPath(from, to, WIDTH), flightPath(to, from, WIDTH)];
    assert(Math.abs(there.length - back.length) < 1e-6 * there.length);
  }
});

test("a long way is seen from afar", () => {
  const path = flightPath({ x: -0.9, y: 0, k: 20_000 }, { x: 0.9, y: 0, k: 20_000 }, WIDTH);
  assert(path.at(0.5).k < 2000);
});

test("where only the zoom changes, the place stays and the zoom changes evenly", () => {
  const path = flightPath({ x: 0.2, y: 0.1, k: 400 }, { x: 0.2, y: 0.1, k: 6400 }, WIDTH);
  assert.deepEqual(path.at(0.5), { x: 0.2, y: 0.1, k: 1600 });
  assert.equal(flightPath({ x: 0, y: 0, k: 9 }, { x: 0, y: 0, k: 9 }, WIDTH).length, 0);
});
