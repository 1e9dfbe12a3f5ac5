// A quadtree: squares of the map, each with the items to show first and four smaller squares with the rest.

import type { Box } from "./camera";

export interface Node {
  number: number;
  x0: number;
  y0: number;
  side: number;
  start: number; // of its items in `order`
  count: number;
  lowest: number; // level of its first item, which no item of a smaller square is below
  children: Node[];
}

export interface Tree {
  root: Node | null;
  nodes: Node[];
  order: Uint32Array; // positions within the domain, square after square
  levels: Uint8Array; // beside `order`: the level from which the item is shown
  nodeOf: Uint32Array; // the square of each item
  slotOf: Uint16Array; // and its position in that square
}

const FIELDS = 6;

export function readTree(bytes: ArrayBuffer, count: number): Tree {
  const [squares, items] = new Uint32Array(bytes, 0, 2);
  const table = new Int32Array(bytes, 8, FIELDS * squares);
  const order = new Uint32Array(bytes, 8 + 4 * FIELDS * squares, items);
  const levels = new Uint8Array(bytes, 8 + 4 * (FIELDS * squares + items), items);
  const nodes: Node[] = [];
  const nodeOf = new Uint32Array(count);
  const slotOf = new Uint16Array(count);
  for (let number = 0; number < squares; number++) {
    const [depth, column, row, start, own, parent] = table.subarray(FIELDS * number, FIELDS * (number + 1));
    const side = 2 / 2 ** depth;
    const node = { number, x0: column * side - 1, y0: row * side - 1, side, start, count: own, lowest: levels[start], children: [] };
    nodes.push(node);
    if (parent >= 0) nodes[parent].children.push(node);
    for (let slot = 0; slot < own; slot++) {
      nodeOf[order[start + slot]] = number;
      slotOf[order[start + slot]] = slot;
    }
  }
  return { root: nodes[0] ?? null, nodes, order, levels, nodeOf, slotOf };
}

/** Call `visit` for each square that touches a box and has items to show at a level. */
export function visitSquares(tree: Tree, box: Box, level: number, visit: (node: Node) => void): void {
  const waiting = tree.root ? [tree.root] : [];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const outside = node.x0 > box.x1 || node.x0 + node.side < box.x0 || node.y0 > box.y1 || node.y0 + node.side < box.y0;
    if (outside || node.lowest > level) continue;
    visit(node);
    waiting.push(...node.children);
  }
}

/**
 * Positions in `order` of all items in a box, those to show first before others; null if there are more than `most`.
 * Where `accept` is given, of those that it accepts.
 */
export function itemsWithin(
  tree: Tree,
  box: Box,
  places: (item: number) => [number, number],
  most: number,
  accept: ((item: number) => boolean) | null = null,
): number[] | null {
  const found: number[] = [];
  const waiting = tree.root ? [tree.root] : [];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.x0 > box.x1 || node.x0 + node.side < box.x0 || node.y0 > box.y1 || node.y0 + node.side < box.y0) continue;
    for (let at = node.start; at < node.start + node.count; at++) {
      if (accept && !accept(tree.order[at])) continue;
      const [x, y] = places(tree.order[at]);
      if (x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1) found.push(at);
    }
    if (found.length > most) return null;
    waiting.push(...node.children);
  }
  return found.sort((a, b) => tree.levels[a] - tree.levels[b] || a - b);
}

/** The level from which an item is shown. */
export function levelOf(tree: Tree, item: number): number {
  return tree.levels[tree.nodes[tree.nodeOf[item]].start + tree.slotOf[item]];
}
