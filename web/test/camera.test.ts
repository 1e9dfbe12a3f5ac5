import assert from "node:assert/strict";
import test from "node:test";
import { Camera, type View } from "../src/camera";
import { Frames } from "./frames";
import { between, generator } from "./random";

const INSETS = { left: 258, right: 66, top: 0, bottom: 30 };

function camera(view?: View): Camera {
  new Frames();
  const made = new Camera(() => {});
  made.resize(1200, 800, INSETS);
  if (view) made.look(view);
  return made;
}

function near(actual: number, expected: number, tolerance: number): void {
  assert(Math.abs(actual - expected) <= tolerance, `${actual} is not within ${tolerance} of ${expected}`);
}

test("screen and map coordinates are inverse to each other", () => {
  const random = generator(1);
  for (let round = 0; round < 200; round++) {
    const made = camera({ x: between(random, -1, 1), y: between(random, -1, 1), k: 200 * 10 ** between(random, 0, 4) });
    const [px, py] = [between(random, -50, 1250), between(random, -50, 850)];
    near(made.screenX(made.mapX(px)), px, 1e-6);
    near(made.screenY(made.mapY(py)), py, 1e-6);
  }
});

test("y goes up on the map and down on the screen", () => {
  const made = camera({ x: 0, y: 0, k: 400 });
  assert.deepEqual([made.screenX(0), made.screenY(0)], [600, 400]);
  assert.deepEqual([made.screenX(0.5), made.screenY(0.5)], [800, 200]);
});

test("zooming about a point keeps what is under it", () => {
  const random = generator(2);
  for (let round = 0; round < 200; round++) {
    const made = camera({ x: between(random, -0.5, 0.5), y: between(random, -0.5, 0.5), k: 500 * 10 ** between(random, 0, 2) });
    const [x, y] = [between(random, -1, 1), between(random, -1, 1)];
    const [px, py] = [made.screenX(x), made.screenY(y)];
    const before = made.k;
    const factor = between(random, 1, 20);
    made.zoom(factor, px, py);
    near(made.k, factor * before, 1e-6 * made.k);
    near(made.mapX(px), x, 1e-9);
    near(made.mapY(py), y, 1e-9);
  }
});

test("zoom has an end in both directions, and still keeps the point there", () => {
  const made = camera({ x: 0.1, y: 0.2, k: 1e6 });
  const x = made.mapX(900);
  made.zoom(100, 900, 300);
  assert.equal(made.k, 2_000_000);
  near(made.mapX(900), x, 1e-12);
  made.zoom(1e-12);
  assert.equal(made.k, made.whole.k / 4);
});

test("panning moves the map with the pointer", () => {
  const made = camera({ x: 0.2, y: -0.1, k: 3000 });
  const [px, py] = [made.screenX(0.25), made.screenY(-0.15)];
  made.pan(40, -25);
  near(made.screenX(0.25), px + 40, 1e-9);
  near(made.screenY(-0.15), py - 25, 1e-9);
});

test("one cannot leave the map", () => {
  const made = camera({ x: 0, y: 0, k: 400 });
  made.pan(-1e9, 1e9);
  assert.deepEqual([made.x, made.y], [1.5, 1.5]);
});

test("the whole map fits between the panels", () => {
  const made = camera();
  assert.deepEqual(made.view, made.whole);
  assert(made.screenX(-1) > INSETS.left && made.screenX(1) < 1200 - INSETS.right);
  assert(made.screenY(1) > INSETS.top && made.screenY(-1) < 800 - INSETS.bottom);
  near((made.screenX(-1) + made.screenX(1)) / 2, (INSETS.left + 1200 - INSETS.right) / 2, 1e-9);
});

test("a new size keeps the whole map whole, and any other view as it is", () => {
  const untouched = camera();
  untouched.resize(600, 900, INSETS);
  assert.deepEqual(untouched.view, untouched.whole);
  const view = { x: 0.3, y: 0.1, k: 5000 };
  const moved = camera(view);
  moved.resize(600, 900, INSETS);
  assert.deepEqual(moved.view, view);
});

test("the box is what is on the screen", () => {
  const made = camera({ x: 0.1, y: 0.2, k: 1000 });
  const box = made.box(20);
  assert.deepEqual([box.x0, box.x1].map((x) => Math.round(made.screenX(x))), [-20, 1220]);
  assert.deepEqual([box.y0, box.y1].map((y) => Math.round(made.screenY(y))), [820, -20]);
});

test("a view around a box shows all of it, but not closer than allowed", () => {
  const made = camera();
  const box = { x0: 0.1, x1: 0.5, y0: -0.2, y1: 0.1 };
  made.look(made.around(box));
  const seen = made.box();
  assert(seen.x0 <= box.x0 && seen.x1 >= box.x1 && seen.y0 <= box.y0 && seen.y1 >= box.y1);
  assert.equal(made.around({ x0: 0, x1: 0, y0: 0, y1: 0 }, 9000).k, 9000);
});

test("every change is told", () => {
  let changes = 0;
  new Frames();
  const made = new Camera(() => changes++);
  made.resize(1200, 800, INSETS);
  const before = changes;
  made.look({ x: 0, y: 0, k: 500 });
  made.pan(1, 0);
  made.zoom(2);
  assert.equal(changes, before + 3);
});

test("a flight ends exactly at its goal, which is known from the start", () => {
  const made = camera();
  const frames = new Frames();
  const goal = { x: 0.4, y: -0.3, k: 7000 };
  made.fly(goal);
  assert.deepEqual(made.aim, goal);
  frames.next(60);
  assert(made.x !== goal.x, "it takes more than a frame");
  assert.equal(frames.pending, 1);
  frames.next(10_000);
  assert.deepEqual([made.view, made.aim], [goal, goal]);
  assert.equal(frames.pending, 0);
});

test("who flies to the whole map arrives at it, whatever becomes of the screen meanwhile", () => {
  const made = camera({ x: 0.4, y: -0.3, k: 7000 });
  const frames = new Frames();
  made.fly(made.whole);
  frames.next(60);
  made.resize(700, 900, INSETS);
  assert.deepEqual(made.aim, made.whole);
  frames.next(10_000);
  assert.deepEqual(made.view, made.whole);
  made.fly({ x: 0.4, y: -0.3, k: 7000 });
  frames.next(60);
  made.resize(1200, 800, INSETS);
  assert.deepEqual(made.aim, { x: 0.4, y: -0.3, k: 7000 }, "nor does a flight to elsewhere change its goal");
});

test("moving by hand ends a flight", () => {
  const made = camera();
  const frames = new Frames();
  made.fly({ x: 0.4, y: -0.3, k: 7000 });
  frames.next(100);
  made.pan(5, 5);
  assert.equal(frames.pending, 0);
  assert.deepEqual(made.aim, made.view);
});

test("where motion is to be reduced, there is none", () => {
  const made = camera();
  const frames = new Frames(true);
  const goal = { x: 0.4, y: -0.3, k: 7000 };
  made.fly(goal);
  assert.deepEqual(made.view, goal);
  assert.equal(frames.pending, 0);
});
