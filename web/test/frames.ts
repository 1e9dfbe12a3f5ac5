// What of a browser the camera needs: frames that come when the test says so, and whether to move at all.

export class Frames {
  private readonly waiting = new Map<number, (now: number) => void>();
  private last = 0;

  constructor(reducedMotion = false) {
    Object.assign(globalThis, {
      requestAnimationFrame: (draw: (now: number) => void) => {
        this.waiting.set(++this.last, draw);
        return this.last;
      },
      cancelAnimationFrame: (id: number) => this.waiting.delete(id),
      matchMedia: () => ({ matches: reducedMotion }),
    });
  }

  get pending(): number {
    return this.waiting.size;
  }

  /** Draw the next frame, some milliseconds from now. */
  next(later: number): void {
    const drawn = [...this.waiting.values()];
    this.waiting.clear();
    for (const draw of drawn) draw(performance.now() + later);
  }
}
