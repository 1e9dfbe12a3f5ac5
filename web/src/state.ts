// What the user has done to the map.

import { type Filters, NO_FILTERS } from "./filters";
import type { Mode } from "./gestures";
import { NO_REGION } from "./regions";
import { Signal } from "./signal";
import { CLOSED, type TableChoice } from "./table";
import { THEMES, type Theme } from "./themes";

export const NO_ITEM = -1;

export class State {
  readonly hovered = new Signal(NO_ITEM);
  readonly pinned = new Signal(NO_ITEM);
  readonly selection = new Signal<readonly number[]>([]);
  readonly hidden = new Signal<ReadonlySet<number>>(new Set()); // domains
  readonly colour = new Signal("");
  readonly filters = new Signal<Filters>(NO_FILTERS);
  readonly passing = new Signal<Uint8Array | null>(null); // 1 for each item that passes all filters; null without filters
  readonly dimming = new Signal(false); // whether the others are dimmed, and not hidden
  readonly region = new Signal(NO_REGION); // whose items are the selection
  readonly hoveredRegion = new Signal(NO_REGION);
  readonly regions = new Signal(true); // whether they are shown on the map
  readonly names = new Signal(false); // whether all names that fit are shown on a map of pictures, and not a few
  readonly table = new Signal<TableChoice>(CLOSED);
  readonly mode = new Signal<Mode>("pan");
  readonly theme: Signal<Theme>;

  constructor(theme: "light" | "dark") {
    this.theme = new Signal(THEMES[theme]);
  }

  /** The item in focus: under the pointer, or else pinned. */
  get focus(): number {
    return this.hovered.value !== NO_ITEM ? this.hovered.value : this.pinned.value;
  }
}
