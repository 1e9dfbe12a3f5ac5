import assert from "node:assert/strict";
import test from "node:test";
import { CollisionIndex, type Mark } from "../src/collisions";
import { between, generator, integer } from "./random";

function marks(count: number): Mark[] {
  const random = generator(14);
  return Array.from({ length: count }, (_, item) => ({
    item,
    x: between(random, -100, 1300),
    y: between(random, -100, 900),
    width: between(random, 5, 200),
    height: between(random, 5, 40),
  }));
}

function overlap(a: Mark, b: Mark, inner = 1): boolean {
  const apartX = Math.abs(a.x - b.x) >= (inner * a.width + b.width) / 2;
  return !apartX && Math.abs(a.y - b.y) < (inner * a.height + b.height) / 2;
}

test("a mark gets its place exactly where it overlaps none that got theirs before", () => {
  const index = new CollisionIndex();
  const placed: Mark[] = [];
  for (const mark of marks(1000)) {
    const free = !placed.some((other) => overlap(mark, other));
    assert.equal(index.place(mark), free);
    if (free) placed.push(mark);
  }
  assert(placed.length > 20 && placed.length < 900);
});

test("the inner part of a mark may be free where its edge is not", () => {
  const index = new CollisionIndex();
  const placed = marks(60).filter((mark) => index.place(mark));
  for (const mark of marks(1000).slice(60)) {
    for (const inner of [0.2, 0.55, 1]) {
      assert.equal(index.overlaps(mark, inner), placed.some((other) => overlap(mark, other, inner)));
    }
  }
});

test("marks that only touch do not overlap", () => {
  const index = new CollisionIndex();
  assert(index.place({ item: 0, x: 100, y: 100, width: 40, height: 20 }));
  assert(index.place({ item: 1, x: 140, y: 100, width: 40, height: 20 }));
  assert(!index.place({ item: 2, x: 119, y: 109, width: 2, height: 2 }));
});

test("the largest square around a point is as wide as what is occupied allows", () => {
  const random = generator(21);
  for (let round = 0; round < 200; round++) {
    const index = new CollisionIndex();
    for (let item = 0; item < 8; item++) {
      index.place({ item, x: integer(random, 600), y: integer(random, 400), width: 20 + integer(random, 90), height: 16 });
    }
    const [x, y] = [integer(random, 600), integer(random, 400)];
    const side = index.widestAround(x, y, 80, 0.55);
    assert(side <= 80);
    if (side > 1) assert(!index.overlaps({ item: 9, x, y, width: side - 0.01, height: side - 0.01 }, 0.55));
    if (side < 79) assert(index.overlaps({ item: 9, x, y, width: Math.max(0, side) + 0.01, height: Math.max(0, side) + 0.01 }, 0.55));
  }
});
