// Places on the screen that are taken, so that nothing is drawn over anything else.

export interface Mark {
  item: number;
  x: number; // middle, in pixels
  y: number;
  width: number;
  height: number;
}

/** Rectangles that are taken, by cells, so that one need not look at all of them. */
export class Taken {
  private readonly cells = new Map<number, Mark[]>();

  /** Take a rectangle, if it is free. */
  take(mark: Mark): boolean {
    if (this.covers(mark, 1)) return false;
    for (const cell of this.cellsOf(mark)) {
      const marks = this.cells.get(cell);
      if (marks) marks.push(mark);
      else this.cells.set(cell, [mark]);
    }
    return true;
  }

  /** Whether anything taken reaches into the inner part of a rectangle. */
  covers(mark: Mark, inner: number): boolean {
    for (const cell of this.cellsOf(mark)) {
      for (const other of this.cells.get(cell) ?? []) {
        const apart = Math.abs(mark.x - other.x) * 2 >= inner * mark.width + other.width;
        if (!apart && Math.abs(mark.y - other.y) * 2 < inner * mark.height + other.height) return true;
      }
    }
    return false;
  }

  private cellsOf(mark: Mark): number[] {
    const found: number[] = [];
    const [left, right] = [mark.x - mark.width / 2, mark.x + mark.width / 2].map((x) => Math.floor(x / 64));
    const [top, bottom] = [mark.y - mark.height / 2, mark.y + mark.height / 2].map((y) => Math.floor(y / 64));
    for (let column = left; column <= right; column++) {
      for (let row = top; row <= bottom; row++) found.push(column * 4096 + row);
    }
    return found;
  }
}
