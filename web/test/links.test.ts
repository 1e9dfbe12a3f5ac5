import assert from "node:assert/strict";
import test from "node:test";
import { Links } from "../src/links";
import { openMap } from "./maps";
import { generator, integer } from "./random";

const at = (count: number) => Array.from({ length: count }, (): [number, number] => [0, 0]);

test("links are known from both ends, with their weights", async () => {
  const random = generator(15);
  const weights = new Map<string, number>(); // of both directions, by "from to"
  const links = [0, 1].map((round) => {
    const found: [number, number, number][] = [];
    for (let a = 0; a < 20; a++) {
      for (let b = 0; b < 10; b++) if (integer(random, 3) === 0) found.push([a, b, 1 + integer(random, 5) + round / 2]);
    }
    return found;
  });
  const kinds = [{ name: "a", places: at(20) }, { name: "b", places: at(10) }, { name: "c", places: at(10) }];
  const content = await openMap(kinds, [{ a: 0, b: 1, links: links[0] }, { a: 0, b: 2, links: links[1] }]);
  links.forEach((found, relation) => {
    for (const [a, b, weight] of found) {
      weights.set(`${a} ${20 + 10 * relation + b}`, weight);
      weights.set(`${20 + 10 * relation + b} ${a}`, weight);
    }
  });
  let seen = 0;
  for (let item = 0; item < 40; item++) {
    const of = content.links.of(item);
    assert.equal(of.length, content.links.degree(item));
    assert.equal(of.reduce((sum, link) => sum + link.weight, 0), content.links.strength[item]);
    for (const link of of) assert.equal(link.weight, weights.get(`${item} ${link.item}`));
    seen += of.length;
  }
  assert.equal(seen, weights.size);
});

test("the heaviest link is first and, of equal ones, the one to the nearest item on the map", async () => {
  const papers: [number, number][] = [[0, 0], [0.5, 0], [-0.3, 0.4], [0.2, -0.1], [0.1, 0.1]];
  const content = await openMap(
    [{ name: "paper", places: papers }, { name: "word", places: [[0, 0], [1, 1]] }],
    [{ a: 0, b: 1, links: [[0, 0, 1], [1, 0, 5], [2, 0, 3], [3, 0, 3], [4, 0, 3], [4, 1, 9]] }],
  );
  const order = [1, 4, 3, 2, 0];
  assert.deepEqual(content.links.of(5), order.map((item) => ({ item, weight: [1, 5, 3, 3, 3][item] })));
});

test("links without weights all have the weight of the relation", async () => {
  const content = await openMap([{ name: "a", places: at(2) }, { name: "b", places: at(1) }], [{ a: 0, b: 1, links: [[0, 0], [1, 0]] }]);
  assert.deepEqual([...content.links.weights], [1, 1, 1, 1]);
});

test("inside a kind, links are listed at both ends and those to itself are left out", async () => {
  const content = await openMap([{ name: "person", places: at(3) }], [{ a: 0, b: 0, links: [[0, 1], [1, 1], [1, 2]] }]);
  assert.deepEqual([0, 1, 2].map((item) => content.links.of(item).map((link) => link.item)), [[1], [0, 2], [1]]);
});

test("a map without relations has no links", () => {
  const links = Links.empty(3);
  assert.deepEqual([0, 1, 2].map((item) => [links.degree(item), links.of(item)]), [[0, []], [0, []], [0, []]]);
});

test("the links of the item in focus are sorted once", async () => {
  const content = await openMap([{ name: "a", places: at(3) }, { name: "b", places: at(2) }], [{ a: 0, b: 1, links: [[0, 0, 2], [1, 0, 3], [2, 1, 1]] }]);
  const tag = content.links.of(3);
  assert.equal(content.links.of(3), tag);
  assert.deepEqual(content.links.of(0).map((link) => link.item), [3]);
  assert.deepEqual(content.links.of(3), tag);
  assert.deepEqual(tag.map((link) => link.item), [1, 0]);
});
