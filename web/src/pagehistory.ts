// The entries of a map in the browser's history: which changes are new ones, which replace the last, and which are none.

export class PageHistory {
  private pushed = 0; // entries since the first of some quick clicks
  private returning = false; // over entries of clicks that were a double click

  /** `address` tells the address of the map as it is now; `restore` shows it as the address says. */
  constructor(
    private readonly address: () => string,
    private readonly restore: () => void,
    signal: AbortSignal,
  ) {
    addEventListener("popstate", () => this.onReturn(), { signal });
  }

  /** Put the view into the address, as a new entry or in place of the current one. */
  record(newEntry: boolean): void {
    try {
      if (newEntry) {
        history.pushState(null, "", this.address());
        this.pushed++;
      } else history.replaceState(null, "", this.address());
    } catch {
      // browsers limit how often the address may change; the map works without
    }
  }

  /** A click may be the first of a double click. */
  onFirstClick(): void {
    this.pushed = 0;
  }

  /** Take back the entries of clicks that turned out to be a double click. */
  takeBack(): void {
    if (!this.pushed) return;
    this.returning = true;
    history.go(-this.pushed);
    this.pushed = 0;
  }

  private onReturn(): void {
    if (!this.returning) return this.restore();
    this.returning = false;
    this.record(false); // the view has changed since
  }
}
