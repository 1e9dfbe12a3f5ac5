// What the user has done to the map.

import type { Mode } from "./gestures";
import { Signal } from "./signal";
import { THEMES, type Theme } from "./themes";

export const NO_ITEM = -1;

export class State {
  readonly hovered = new Signal(NO_ITEM);
  readonly pinned = new Signal(NO_ITEM);
  readonly selection = new Signal<readonly number[]>([]);
  readonly hidden = new Signal<ReadonlySet<number>>(new Set()); // domains
  readonly colour = new Signal("");
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
