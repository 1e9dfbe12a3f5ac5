// Keeps what passes up to date with the filters, once for all changes until the next frame.

import type { Content } from "./content";
import { Sieve } from "./filters";
import type { State } from "./state";

export class Filtering {
  readonly sieve: Sieve;
  passingCount: number;
  private frame = 0;

  constructor(
    content: Content,
    private readonly state: State,
  ) {
    this.sieve = new Sieve(content);
    this.passingCount = content.count;
    state.filters.on(() => (this.frame ||= requestAnimationFrame(() => this.apply())));
  }

  /** Apply the filters now. */
  apply(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const passing = this.sieve.apply(this.state.filters.value);
    this.passingCount = 0;
    if (passing) for (let item = 0; item < passing.length; item++) this.passingCount += passing[item];
    this.state.passing.value = passing;
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
  }
}
