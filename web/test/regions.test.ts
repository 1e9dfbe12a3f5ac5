import assert from "node:assert/strict";
import test from "node:test";
import { NO_REGION, Regions, smoothPath } from "../src/regions";

const NONE = 65535;
const STEPS = 16384;

/** The outline of a square, as it is packed. */
function square(x: number, y: number, side: number): number[] {
  return [x, y, side, 0, 0, side, -side, 0].map((value) => Math.round(value * STEPS));
}

/** Two regions side by side; the first has two parts, one of which is called like the second region. */
function sample(): Regions {
  return new Regions(
    {
      words: [["animal", "pet"], ["tool"], ["cat"], ["tool"]],
      parents: [-1, -1, 0, 0],
      centres: [[-0.5, 0], [0.5, 0], [-0.7, 0.2], [-0.3, -0.2]].map(([x, y]) => [x * STEPS, y * STEPS] as [number, number]),
      outlines: [[square(-0.9, -0.4, 0.8)], [square(0.1, -0.4, 0.8)], [square(-0.8, 0, 0.3)], [square(-0.4, -0.3, 0.3)]],
    },
    new Uint16Array([0, 2, 2, 3, 1, NONE, 1]),
  );
}

test("a region has its own items and those of its parts", () => {
  const regions = sample();
  assert.deepEqual(regions.all.map((region) => region.count), [4, 2, 2, 1]);
  assert.deepEqual(regions.members(0), [0, 1, 2, 3]);
  assert.deepEqual(regions.members(2), [1, 2]);
  assert.deepEqual(regions.members(1), [4, 6]);
  assert.equal(regions.of(3), 3);
  assert.equal(regions.of(5), NO_REGION, "far from all others");
});

test("a command can name a region only where no other is called the same", () => {
  const regions = sample();
  assert.deepEqual([0, 1, 2, 3, NO_REGION].map((index) => regions.nameOfOne(index)), ["animal, pet", null, "cat", null, null]);
  regions.all[0].words[0] = "Cat";
  assert.equal(regions.nameOfOne(2), null, "a single word means the region that begins with it");
});

test("regions know what they are in and what is in them", () => {
  const regions = sample();
  assert.deepEqual(regions.top.map((region) => region.name), ["animal, pet", "tool"]);
  assert.deepEqual(regions.all[0].parts, [2, 3]);
  assert.deepEqual(regions.path(3).map((region) => region.index), [0, 3]);
  assert.deepEqual(regions.all.map((region) => region.depth), [0, 0, 1, 1]);
});

test("as one zooms in, parts take the place of what has become too large, and no region is named beside its parts", () => {
  const regions = sample();
  const at = (zoom: number) => regions.atZoom(zoom).map((region) => region.index);
  assert.deepEqual(at(0.5), [0, 1]);
  assert.deepEqual(at(1), [0, 1], "the overview");
  assert.deepEqual(at(2), [2, 3, 1], "a region without parts stays longer");
  assert.deepEqual(at(4), [2, 3]);
  assert.deepEqual(at(100), []);
  for (let zoom = 0.3; zoom < 60; zoom *= 1.05) {
    const named = new Set(at(zoom));
    for (const index of named) assert(regions.path(index).slice(0, -1).every((around) => !named.has(around.index)), `${zoom}`);
  }
});

test("the overview stays while the map fills the screen, even where a region takes most of it", () => {
  const one = new Regions(
    { words: [["all"], ["half"]], parents: [-1, 0], centres: [[0, 0], [0, 0]], outlines: [[square(-1, -1, 2)], [square(-1, -1, 1)]] },
    new Uint16Array([0, 1]),
  );
  assert.deepEqual(one.atZoom(1).map((region) => region.name), ["all"]);
  assert.deepEqual(one.atZoom(1.4).map((region) => region.name), ["half"]);
});

test("what is too large to be named tells where one is", () => {
  const regions = sample();
  const around = (item: number, zoom: number) => regions.around(item, zoom).map((region) => region.index);
  assert.deepEqual(around(1, 1), []);
  assert.deepEqual(around(1, 3), [0]);
  assert.deepEqual(around(1, 100), [0, 2]);
  assert.deepEqual(around(5, 100), [], "in no region");
});

test("every region has an address of its own, and other texts are the address of none", () => {
  const regions = sample();
  for (const { index } of regions.all) assert.equal(regions.named(regions.address(index)), index);
  assert.equal(regions.address(3), "tool (2)");
  for (const text of [null, "", "dog", "tool (1)", "tool (3)", "animal"]) assert.equal(regions.named(text), NO_REGION);
});

test("outlines come back in units of the map, with their extent", () => {
  const [region] = sample().all;
  const expected = [[-0.9, -0.4], [-0.1, -0.4], [-0.1, 0.4], [-0.9, 0.4]];
  region.outlines[0].forEach((corner, at) => corner.forEach((value, axis) => assert(Math.abs(value - expected[at][axis]) < 2 / STEPS)));
  assert(Math.abs(region.diameter - Math.sqrt((4 * 0.64) / Math.PI)) < 1e-3);
  assert(Math.abs(region.box.x0 + 0.9) < 1e-3 && Math.abs(region.box.y1 - 0.4) < 1e-3);
});

test("a curve through the middles of all sides closes", () => {
  assert.equal(smoothPath([[0, 0], [2, 0], [2, 2], [0, 2]]), "M1 0Q2 0 2 1Q2 2 1 2Q0 2 0 1Q0 0 1 0Z");
});

test("what passes is counted for a region and all around it", () => {
  const packed = { words: [["a"], ["b"], ["c"]], parents: [-1, 0, -1], centres: [[0, 0], [0, 0], [0, 0]] as [number, number][], outlines: [[], [], []] };
  const regions = new Regions(packed, Uint16Array.from([0, 1, 1, 2, 65535]));
  assert.deepEqual([...regions.counts(Uint8Array.from([1, 1, 0, 0, 1]))], [2, 1, 0]);
});

test("names with commas of their own are joined by semicolons", () => {
  const packed = { words: [["Turner, Joseph", "sea"], ["sea", "ship"]], parents: [-1, -1], centres: [[0, 0], [0, 0]] as [number, number][], outlines: [[], []] };
  const regions = new Regions(packed, new Uint16Array());
  assert.deepEqual(regions.all.map((region) => region.name), ["Turner, Joseph; sea", "sea, ship"]);
});
