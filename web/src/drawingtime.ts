// How long a drawing takes that goes on beside the page, found by looking from time to time whether it is finished.

const LATENCY = 8; // milliseconds until a drawing is found to be finished, however small it is
const LATE = 30; // milliseconds after a look was due; then the page was busy with something else
const MOST = 2000; // milliseconds that count

export class DrawingTime {
  private due: number; // when the next look is

  constructor(private readonly began: number) {
    this.due = began;
  }

  /** It is not finished, and the next look is in some milliseconds. */
  wait(now: number, pause: number): void {
    this.due = now + pause;
  }

  /** The milliseconds of a finished drawing; null where the look came late, since it may have been finished long before. */
  finish(now: number): number | null {
    return now - this.due > LATE ? null : Math.min(MOST, Math.max(0, now - this.began - LATENCY));
  }
}
