// Items by grid cell, to find the nearest to a point and those inside a polygon.

import type { Box } from "./camera";
import type { Content } from "./content";

export class Grid {
  private readonly side: number;
  private readonly starts: Uint32Array;
  private readonly items: Uint32Array;

  constructor(private readonly content: Content) {
    const { count, x, y } = content;
    this.side = Math.max(1, Math.min(1024, Math.ceil(Math.sqrt(count / 4))));
    this.starts = new Uint32Array(this.side * this.side + 1);
    const cells = new Uint32Array(count);
    for (let item = 0; item < count; item++) {
      cells[item] = this.column(y[item]) * this.side + this.column(x[item]);
      this.starts[cells[item] + 1]++;
    }
    for (let cell = 1; cell < this.starts.length; cell++) this.starts[cell] += this.starts[cell - 1];
    const next = this.starts.slice();
    this.items = new Uint32Array(count);
    for (let item = 0; item < count; item++) this.items[next[cells[item]]++] = item;
  }

  private column(value: number): number {
    return Math.max(0, Math.min(this.side - 1, Math.floor(((value + 1) / 2) * this.side)));
  }

  private each(box: Box, visit: (item: number) => void): void {
    const [left, right] = [this.column(box.x0), this.column(box.x1)];
    for (let row = this.column(box.y0); row <= this.column(box.y1); row++) {
      const last = this.starts[row * this.side + right + 1];
      for (let at = this.starts[row * this.side + left]; at < last; at++) visit(this.items[at]);
    }
  }

  /** The nearest item within a distance; -1 if there is none. */
  nearest(px: number, py: number, reach: number, accept: (item: number) => boolean): number {
    const { x, y } = this.content;
    let [best, found] = [reach * reach, -1];
    this.each({ x0: px - reach, x1: px + reach, y0: py - reach, y1: py + reach }, (item) => {
      const distance = (x[item] - px) ** 2 + (y[item] - py) ** 2;
      if (distance <= best && accept(item)) [best, found] = [distance, item];
    });
    return found;
  }

  /** The items within a distance along both axes, in order. */
  around(px: number, py: number, reach: number, accept: (item: number) => boolean): number[] {
    const { x, y } = this.content;
    const found: number[] = [];
    this.each({ x0: px - reach, x1: px + reach, y0: py - reach, y1: py + reach }, (item) => {
      if (Math.abs(x[item] - px) <= reach && Math.abs(y[item] - py) <= reach && accept(item)) found.push(item);
    });
    return found.sort((a, b) => a - b);
  }

  /** The items nearest to an item, nearest first; as many as there are where they are fewer than `count`. */
  nearestTo(item: number, count: number, accept: (item: number) => boolean): number[] {
    const { x, y } = this.content;
    const distance = (other: number) => (x[other] - x[item]) ** 2 + (y[other] - y[item]) ** 2;
    const accepted = (other: number) => other !== item && accept(other);
    for (let reach = 2 / this.side; ; reach *= 2) {
      const found = this.around(x[item], y[item], reach, accepted);
      const inside = found.filter((other) => distance(other) <= reach * reach);
      if (inside.length < count && reach < 4) continue; // beyond the edge of the map there is nothing
      return (inside.length < count ? found : inside).sort((a, b) => distance(a) - distance(b) || a - b).slice(0, count);
    }
  }

  /** The items inside a polygon, in order. */
  inside(polygon: [number, number][], accept: (item: number) => boolean): number[] {
    const { x, y } = this.content;
    const [xs, ys] = [polygon.map((corner) => corner[0]), polygon.map((corner) => corner[1])];
    const box = { x0: Math.min(...xs), x1: Math.max(...xs), y0: Math.min(...ys), y1: Math.max(...ys) };
    const found: number[] = [];
    this.each(box, (item) => {
      if (accept(item) && contains(xs, ys, x[item], y[item])) found.push(item);
    });
    return found.sort((a, b) => a - b);
  }
}

function contains(xs: number[], ys: number[], px: number, py: number): boolean {
  let inside = false;
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
    if (ys[i] > py !== ys[j] > py && px < ((xs[j] - xs[i]) * (py - ys[i])) / (ys[j] - ys[i]) + xs[i]) inside = !inside;
  }
  return inside;
}
