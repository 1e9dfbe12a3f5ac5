import assert from "node:assert/strict";
import test from "node:test";
import { type Node, type Tree, itemsWithin, levelOf, readTree, visitSquares } from "../src/tree";
import { treePart } from "./maps";
import { between, clusteredPoints, generator, integer } from "./random";

const EVERYTHING = { x0: -2, y0: -2, x1: 2, y1: 2 };
const CAPACITY = 8;

function made(count: number): { tree: Tree; places: [number, number][]; levels: number[] } {
  const random = generator(count);
  const places = clusteredPoints(random, count);
  // items at the same place would need squares without end; Python stops at a depth
  places.forEach((place) => (place[0] += between(random, -1e-4, 1e-4)));
  const levels = places.map(() => integer(random, 27));
  return { tree: readTree(treePart(places, levels, CAPACITY), count), places, levels };
}

function visited(tree: Tree, box = EVERYTHING, level = 255): Node[] {
  const found: Node[] = [];
  visitSquares(tree, box, level, (node) => found.push(node));
  return found;
}

function itemsOf(tree: Tree, node: Node): number[] {
  return [...tree.order.subarray(node.start, node.start + node.count)];
}

test("the squares have every item once", () => {
  for (const count of [1, 7, 8, 9, 2000]) {
    const { tree } = made(count);
    const items = visited(tree).flatMap((node) => itemsOf(tree, node));
    assert.deepEqual(items.sort((a, b) => a - b), [...Array(count).keys()]);
  }
});

test("an item is found in its square, at its slot and with its level", () => {
  const { tree, levels } = made(2000);
  for (let item = 0; item < 2000; item++) {
    const node = tree.nodes[tree.nodeOf[item]];
    assert.equal(itemsOf(tree, node)[tree.slotOf[item]], item);
    assert.equal(levelOf(tree, item), levels[item]);
  }
});

test("items lie in their squares, and smaller squares in larger ones", () => {
  const { tree, places } = made(2000);
  for (const node of tree.nodes) {
    for (const item of itemsOf(tree, node)) {
      const [x, y] = places[item];
      assert(x >= node.x0 && x <= node.x0 + node.side && y >= node.y0 && y <= node.y0 + node.side);
    }
    for (const child of node.children) {
      assert.equal(child.side, node.side / 2);
      assert(child.x0 >= node.x0 && child.x0 + child.side <= node.x0 + node.side);
      assert(child.y0 >= node.y0 && child.y0 + child.side <= node.y0 + node.side);
    }
  }
});

test("a visit to part of the map misses nothing that is shown there, and only sees squares that touch it", () => {
  const { tree, places, levels } = made(2000);
  const random = generator(8);
  let [some, all] = [0, 0];
  for (let round = 0; round < 200; round++) {
    const [cx, cy, reach] = [between(random, -1, 1), between(random, -1, 1), 10 ** between(random, -3, 0)];
    const box = { x0: cx - reach, x1: cx + reach, y0: cy - reach, y1: cy + reach };
    const level = integer(random, 27);
    const nodes = visited(tree, box, level);
    const seen = new Set(nodes.flatMap((node) => itemsOf(tree, node)));
    places.forEach(([x, y], item) => {
      const inside = x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1;
      if (inside && levels[item] <= level) assert(seen.has(item), `item ${item} at level ${level}`);
    });
    for (const node of nodes) {
      assert(node.x0 <= box.x1 && node.x0 + node.side >= box.x0 && node.y0 <= box.y1 && node.y0 + node.side >= box.y0);
      assert(itemsOf(tree, node).some((item) => levels[item] <= level), "something in it is shown");
    }
    [some, all] = [some + nodes.length, all + tree.nodes.length];
  }
  assert(some < all / 2, "most squares are left out");
});

test("a kind without items has no squares", () => {
  const tree = readTree(treePart([], [], CAPACITY), 0);
  assert.equal(tree.root, null);
  assert.deepEqual(visited(tree), []);
});

test("all items in a box are found, those to show first before others, unless there are too many", () => {
  const { tree, places, levels } = made(2000);
  const random = generator(9);
  for (let round = 0; round < 30; round++) {
    const [x, y, reach] = [between(random, -1, 1), between(random, -1, 1), between(random, 0.02, 0.5)];
    const box = { x0: x - reach, x1: x + reach, y0: y - reach, y1: y + reach };
    const within = ([px, py]: [number, number]) => px >= box.x0 && px <= box.x1 && py >= box.y0 && py <= box.y1;
    const expected = [...places.keys()].filter((item) => within(places[item]));
    const found = itemsWithin(tree, box, (item) => places[item], 2000)!.map((at) => tree.order[at]);
    assert.deepEqual([...found].sort((a, b) => a - b), expected);
    for (let at = 1; at < found.length; at++) assert(levels[found[at]] >= levels[found[at - 1]]);
    if (expected.length) assert.equal(itemsWithin(tree, box, (item) => places[item], expected.length - 1), null);
  }
});
