import assert from "node:assert/strict";
import test from "node:test";
import { type Kind, openMap } from "./maps";

const KINDS: Kind[] = [
  { name: "photo", places: [[-1, 0.5], [1, 0]], columns: [{ name: "year", categories: null, values: [2001, NaN] }] },
  { name: "tag", places: [[0, 0], [0.25, -1], [0, 1]], names: ["dog", "犬", ""] },
];

test("places, names and columns are those of the parts", async () => {
  const content = await openMap(KINDS);
  assert.deepEqual([...content.x], [-1, 1, 0, 0.25, 0]);
  assert.deepEqual([...content.y], [0.5, 0, 0, -1, 1]);
  assert.deepEqual([0, 1, 2, 3, 4].map((item) => content.name(item)), ["photo 0", "photo 1", "dog", "犬", ""]);
  assert.deepEqual([0, 1, 2, 3, 4].map((item) => content.domain(item).about.name), ["photo", "photo", "tag", "tag", "tag"]);
  assert.deepEqual([...content.domains[0].columns[0].values], [2001, NaN]);
});

test("coordinates are Python's", async () => {
  const content = await openMap(KINDS, [], { centre: [100, -3], reach: 8 });
  assert.deepEqual(content.coordinates(3), [102, -11]);
});

test("a caption counts links, unless the map has none at all", async () => {
  const linked = await openMap(KINDS, [{ a: 0, b: 1, links: [[0, 0], [1, 0]] }]);
  assert.deepEqual([0, 2, 3].map((item) => linked.caption(item)), ["photo · 1 link", "tag · 2 links", "tag · 0 links"]);
  assert(linked.hasLinks);
  const plain = await openMap(KINDS);
  assert.equal(plain.caption(2), "tag");
  assert(!plain.hasLinks);
});

test("a map of a newer version is refused by name", async () => {
  await assert.rejects(openMap(KINDS, [], { format: 2 }), /written by a newer mrsne: it has format 2, .* up to 1/);
});
