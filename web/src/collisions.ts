// Rectangles on the screen that are occupied, so that names do not cover each other.

export interface Mark {
  item: number;
  x: number; // middle, in pixels
  y: number;
  width: number;
  height: number;
}

/** Occupied rectangles by cell, so that only those nearby are compared. */
export class CollisionIndex {
  private readonly cells = new Map<number, Mark[]>();

  /** Occupy a rectangle if it is free; return whether it was. */
  place(mark: Mark): boolean {
    if (this.overlaps(mark, 1)) return false;
    for (const cell of this.cellsOf(mark)) {
      const marks = this.cells.get(cell);
      if (marks) marks.push(mark);
      else this.cells.set(cell, [mark]);
    }
    return true;
  }

  /** Whether an occupied rectangle reaches into the inner share of another. */
  overlaps(mark: Mark, inner: number): boolean {
    for (const cell of this.cellsOf(mark)) {
      for (const other of this.cells.get(cell) ?? []) {
        const apart = Math.abs(mark.x - other.x) * 2 >= inner * mark.width + other.width;
        if (!apart && Math.abs(mark.y - other.y) * 2 < inner * mark.height + other.height) return true;
      }
    }
    return false;
  }

  /** The side of the largest square around a point, up to a limit, whose inner share no occupied rectangle reaches into. */
  widestAround(x: number, y: number, limit: number, inner: number): number {
    let side = limit;
    for (const cell of this.cellsOf({ item: -1, x, y, width: limit, height: limit })) {
      for (const other of this.cells.get(cell) ?? []) {
        const [across, along] = [2 * Math.abs(x - other.x) - other.width, 2 * Math.abs(y - other.y) - other.height];
        side = Math.min(side, Math.max(across, along) / inner);
      }
    }
    return side;
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
