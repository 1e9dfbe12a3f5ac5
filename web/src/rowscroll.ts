// Which rows of a long table are on screen. Browsers draw nothing that is taller than some million pixels, so a taller
// table has a shorter scroll bar: short moves go row by row, long ones in proportion.

export const TALLEST = 8_000_000; // pixels; Firefox stops at 17 million

export class RowScroll {
  private top = 0; // of the table, in pixels of all of its rows
  private scrollTop = 0;

  constructor(
    readonly rowHeight: number,
    private rows = 0,
    private room = 0, // pixels for rows on screen
  ) {}

  /** Pixels that all rows would take. */
  private get wholeHeight(): number {
    return this.rows * this.rowHeight;
  }

  /** Pixels of what scrolls. */
  get height(): number {
    return Math.min(this.wholeHeight, TALLEST);
  }

  private get farthest(): number {
    return Math.max(0, this.height - this.room);
  }

  private get last(): number {
    return Math.max(0, this.wholeHeight - this.room);
  }

  /** Set what there is to show; return where to scroll to, so that the same row stays on top. */
  resize(rows: number, room: number): number {
    [this.rows, this.room] = [rows, Math.max(0, room)];
    return this.moveTo(this.top);
  }

  /** Follow the scroll bar. */
  scrolled(scrollTop: number): void {
    const by = scrollTop - this.scrollTop;
    this.scrollTop = scrollTop;
    if (this.wholeHeight <= TALLEST) this.top = scrollTop;
    else if (Math.abs(by) <= 2 * this.room) this.top = Math.min(this.last, Math.max(0, this.top + by));
    else this.top = (scrollTop / this.farthest) * this.last;
  }

  /** Whether the scroll bar has moved since it was followed. */
  isMoved(scrollTop: number): boolean {
    return Math.abs(scrollTop - this.scrollTop) > 1;
  }

  /** Where the scroll bar belongs. */
  get settled(): number {
    return this.wholeHeight <= TALLEST ? this.top : (this.top / this.last) * this.farthest;
  }

  /** Show a place; return where to scroll to. */
  private moveTo(top: number): number {
    this.top = Math.min(this.last, Math.max(0, top));
    this.scrollTop = this.settled;
    return this.scrollTop;
  }

  /** Bring a row into view; return where to scroll to. */
  reveal(row: number): number {
    const from = row * this.rowHeight;
    if (from < this.top) return this.moveTo(from);
    if (from + this.rowHeight > this.top + this.room) return this.moveTo(from + this.rowHeight - this.room);
    return this.scrollTop;
  }

  /** Put the scroll bar where it belongs. */
  settle(): number {
    return this.moveTo(this.top);
  }

  /** The rows on screen with some around them, and where the first of them is in what scrolls. */
  range(around: number): { first: number; end: number; offset: number } {
    const first = Math.max(0, Math.floor(this.top / this.rowHeight) - around);
    const end = Math.min(this.rows, Math.ceil((this.top + this.room) / this.rowHeight) + around);
    return { first, end: Math.max(first, end), offset: first * this.rowHeight - this.top + this.scrollTop };
  }

  /** Rows that fit on the screen. */
  get page(): number {
    return Math.max(1, Math.floor(this.room / this.rowHeight) - 1);
  }
}
