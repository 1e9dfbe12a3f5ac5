import assert from "node:assert/strict";
import test from "node:test";
import { layersOf, sampleOf } from "../src/layers";
import { CORNERS } from "../src/shapes";
import { openMap } from "./maps";

const NOTHING = { hidden: new Set<number>(), passing: null, dimming: false, selected: null };

/** A map of six photos and three tags. */
function map() {
  const places = (count: number) => Array.from({ length: count }, (): [number, number] => [0, 0]);
  return openMap([{ name: "photo", places: places(6) }, { name: "tag", places: places(3) }]);
}

test("dots of the largest kind are drawn last, in front, unless something is done to them", async () => {
  const found = layersOf(await map(), NOTHING);
  assert.deepEqual([...found.items], [6, 7, 8, 0, 1, 2, 3, 4, 5]);
  assert.deepEqual([found.dimmed, found.plain, found.selected], [0, 9, 0]);
});

test("what is selected is drawn last, and hidden kinds not at all", async () => {
  const found = layersOf(await map(), { ...NOTHING, hidden: new Set([1]), selected: new Set([1, 4, 7]) });
  assert.deepEqual([...found.items], [0, 2, 3, 5, 1, 4]);
  assert.deepEqual([found.dimmed, found.plain, found.selected], [0, 4, 2]);
});

test("what does not pass is not drawn or, dimmed, below everything else", async () => {
  const content = await map();
  const passing = Uint8Array.from([1, 0, 1, 0, 1, 0, 1, 1, 1]);
  const shown = { ...NOTHING, passing, selected: new Set([0, 1]) };
  const hidden = layersOf(content, shown);
  assert.deepEqual([[...hidden.items], hidden.dimmed, hidden.plain, hidden.selected], [[6, 7, 8, 2, 4, 0], 0, 5, 1]);
  const dimmed = layersOf(content, { ...shown, dimming: true });
  assert.deepEqual([[...dimmed.items], dimmed.dimmed, dimmed.plain, dimmed.selected], [[1, 3, 5, 6, 7, 8, 2, 4, 0], 3, 5, 1]);
});

test("a sample has an even share of every layer", () => {
  const items = Uint32Array.from({ length: 1000 }, (_, at) => at);
  const all = { items, dimmed: 600, plain: 390, selected: 10 };
  const found = sampleOf(all, 100);
  assert.deepEqual([found.dimmed, found.plain, found.selected], [60, 39, 1]);
  assert.equal(new Set(found.items).size, 100);
  assert(found.items.subarray(0, 60).every((item) => item < 600));
  assert(found.items.subarray(60, 99).every((item) => item >= 600 && item < 990));
  assert.deepEqual([...sampleOf(all, 5000).items], [...items]);
  assert.equal(sampleOf({ items: new Uint32Array(), dimmed: 0, plain: 0, selected: 0 }, 10).items.length, 0);
});

test("dots of all shapes look equally large", () => {
  for (const corners of CORNERS.filter((each) => each.length)) {
    const doubled = corners.reduce((sum, [x, y], at) => {
      const [nextX, nextY] = corners[(at + 1) % corners.length];
      return sum + x * nextY - nextX * y;
    }, 0);
    const circle = Math.PI / 4;
    assert(Math.abs(Math.abs(doubled) / 2 - circle) < 0.15 * circle);
  }
});
