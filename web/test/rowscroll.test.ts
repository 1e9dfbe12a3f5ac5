import assert from "node:assert/strict";
import test from "node:test";
import { RowScroll, TALLEST } from "../src/rowscroll";
import { generator, integer } from "./random";

const [ROW, ROOM] = [36, 250];

/** What a browser does: the bar stays within what scrolls. */
class Bar {
  top = 0;

  constructor(
    readonly scroll: RowScroll,
    rows: number,
  ) {
    this.top = scroll.resize(rows, ROOM);
  }

  to(top: number): void {
    this.top = Math.round(Math.max(0, Math.min(this.scroll.height - ROOM, top)));
    this.scroll.scrolled(this.top);
  }

  /** The first and the last row on screen, by where they are drawn. */
  get seen(): [number, number] {
    const { first, end, offset } = this.scroll.range(3);
    const from = Math.ceil((this.top - offset) / ROW - 0.05);
    const to = Math.floor((this.top + ROOM - offset) / ROW + 0.05) - 1;
    return [first + Math.max(0, from), Math.min(end - 1, first + to)];
  }
}

test("a short table scrolls as the browser does", () => {
  const bar = new Bar(new RowScroll(ROW), 100);
  assert.equal(bar.scroll.height, 3600);
  bar.to(720);
  assert.deepEqual(bar.seen, [20, 25]);
  assert.equal(bar.scroll.range(3).offset, 17 * ROW, "rows stay where they are");
  bar.to(99999);
  assert.equal(bar.seen[1], 99);
});

test("few rows need no scrolling", () => {
  const bar = new Bar(new RowScroll(ROW), 2);
  assert.deepEqual(bar.scroll.range(4), { first: 0, end: 2, offset: 0 });
  assert.deepEqual(new Bar(new RowScroll(ROW), 0).scroll.range(4), { first: 0, end: 0, offset: 0 });
});

test("of a million rows each can be reached, and none is skipped by small steps", () => {
  const bar = new Bar(new RowScroll(ROW), 1_000_000);
  assert.equal(bar.scroll.height, TALLEST);
  for (const start of [0, 0.5, 0.99999]) {
    bar.to(start * TALLEST);
    let [, last] = bar.seen;
    for (let step = 0; step < 400; step++) {
      bar.to(bar.top + 100);
      if (step % 3 === 0) bar.to(bar.scroll.settle());
      const [first, end] = bar.seen;
      assert(first <= last + 1, `rows ${last} to ${first} were skipped`);
      last = end;
    }
  }
  assert.equal(bar.seen[1], 999_999);
  bar.to(0);
  assert.equal(bar.seen[0], 0);
});

test("a row that is revealed is on screen, wherever the table was", () => {
  const random = generator(33);
  const bar = new Bar(new RowScroll(ROW), 1_000_000);
  for (let round = 0; round < 500; round++) {
    const row = integer(random, 1_000_000);
    bar.to(bar.scroll.reveal(row));
    const [first, last] = bar.seen;
    assert(first <= row && row <= last, `${row} is not in ${first} to ${last}`);
    assert(bar.scroll.range(0).offset < 2 ** 24, "pixels that single precision tells apart");
  }
});

test("with fewer rows or less room, what is on screen is still there", () => {
  const scroll = new RowScroll(ROW);
  scroll.resize(1000, ROOM);
  scroll.reveal(999);
  scroll.resize(10, 100);
  const { first, end } = scroll.range(0);
  assert.deepEqual([first, end], [7, 10]);
});
