import assert from "node:assert/strict";
import test from "node:test";
import { Grid } from "../src/grid";
import { openMap } from "./maps";
import { between, clusteredPoints, generator, integer } from "./random";

const COUNTS = [0, 1, 5, 300, 5000];
const any = () => true;

async function grids(): Promise<{ grid: Grid; points: [number, number][] }[]> {
  return Promise.all(
    COUNTS.map(async (count) => {
      const points = clusteredPoints(generator(count), count);
      points.forEach((point, item) => item % 50 === 7 && point.splice(0, 2, item % 100 === 7 ? 1 : -1, 1)); // at the edge
      return { grid: new Grid(await openMap([{ name: "dot", places: points }])), points };
    }),
  );
}

/** Whether a polygon winds around a point: another way to tell than counting edges. */
function windsAround(polygon: [number, number][], px: number, py: number): boolean {
  let angle = 0;
  polygon.forEach(([x0, y0], at) => {
    const [x1, y1] = polygon[(at + 1) % polygon.length];
    const [ax, ay, bx, by] = [x0 - px, y0 - py, x1 - px, y1 - py];
    angle += Math.atan2(ax * by - ay * bx, ax * bx + ay * by);
  });
  return Math.abs(angle) > Math.PI;
}

test("the nearest item is the one that looking at all of them finds", async () => {
  for (const { grid, points } of await grids()) {
    const random = generator(5);
    for (let round = 0; round < 200; round++) {
      const [px, py, reach] = [between(random, -1.2, 1.2), between(random, -1.2, 1.2), 10 ** between(random, -3, 0)];
      const distance = (item: number) => Math.hypot(points[item][0] - px, points[item][1] - py);
      const accept = round % 3 ? any : (item: number) => item % 2 === 0;
      const all = [...points.keys()].filter((item) => accept(item) && distance(item) <= reach).map(distance);
      const found = grid.nearest(px, py, reach, accept);
      assert.equal(found >= 0, all.length > 0);
      if (found < 0) continue;
      assert(accept(found));
      assert.equal(distance(found), Math.min(...all));
    }
  }
});

test("the items around a point are those that looking at all of them finds", async () => {
  for (const { grid, points } of await grids()) {
    const random = generator(6);
    for (let round = 0; round < 200; round++) {
      const [px, py] = points.length && round % 2 ? points[integer(random, points.length)] : [random(), random()];
      const reach = round % 5 ? 10 ** between(random, -4, 0) : 0;
      const accept = (item: number) => round % 3 > 0 || item % 2 === 0;
      const inside = ([x, y]: [number, number]) => Math.abs(x - px) <= reach && Math.abs(y - py) <= reach;
      const expected = [...points.keys()].filter((item) => accept(item) && inside(points[item]));
      assert.deepEqual(grid.around(px, py, reach, accept), expected);
    }
  }
});

test("the items inside a lasso are those it winds around", async () => {
  for (const { grid, points } of await grids()) {
    const random = generator(7);
    for (let round = 0; round < 50; round++) {
      const [cx, cy] = [between(random, -1, 1), between(random, -1, 1)];
      const corners = 3 + integer(random, 30);
      const polygon = Array.from({ length: corners }, (_, at): [number, number] => {
        const [turn, radius] = [(2 * Math.PI * at) / corners, between(random, 0.05, 0.9)];
        return [cx + radius * Math.cos(turn), cy + radius * Math.sin(turn)];
      });
      const accept = (item: number) => round % 3 > 0 || item % 2 === 0;
      const expected = [...points.keys()].filter((item) => accept(item) && windsAround(polygon, ...points[item]));
      assert.deepEqual(grid.inside(polygon, accept), expected);
    }
  }
});

test("the nearest items to an item are those that sorting all of them finds", async () => {
  for (const { grid, points } of await grids()) {
    for (let item = 0; item < points.length; item += 37) {
      const distance = (other: number) => (Math.fround(points[other][0]) - Math.fround(points[item][0])) ** 2 + (Math.fround(points[other][1]) - Math.fround(points[item][1])) ** 2;
      const accept = (other: number) => other % 3 !== 1;
      const all = [...points.keys()].filter((other) => other !== item && accept(other)).sort((a, b) => distance(a) - distance(b) || a - b);
      assert.deepEqual(grid.nearestTo(item, 6, accept), all.slice(0, 6));
    }
  }
});
