// What a panel of the page is: a module of this folder that exports a `PanelKind`, listed in index.ts.

import type { Content } from "../content";
import { type Child, button, make, uniqueId } from "../dom";
import type { Filtering } from "../filtering";
import { ICONS } from "../icons";
import type { Stage } from "../stage";
import type { State } from "../state";

/** The map that a panel belongs to, and what it may ask of it. */
export interface PanelHost {
  readonly root: HTMLElement;
  readonly content: Content;
  readonly state: State;
  readonly stage: Stage;
  readonly filtering: Filtering;
  /** All panels there are, whether or not this map has them. */
  readonly kinds: readonly PanelKind[];
  /** Copies the address of the view; null where the map has none. */
  readonly copyLink: (() => void) | null;
  /** Opens a panel of this map, or closes it. */
  toggle(name: string): void;
  /** Pins an item and flies to it. */
  go(item: number): void;
  /** Selects a region and flies to it. */
  goToRegion(region: number): void;
  /** Gives the focus back to the map. */
  leave(): void;
  /** Shows a short message. */
  flash(text: string): void;
  /** Tells a screen reader. */
  announce(text: string): void;
}

export interface Panel {
  readonly element: HTMLElement;
  /** What stands in for it while it is closed. */
  readonly note?: HTMLElement;
  readonly open: boolean;
  toggle(): void;
  /** Called when it has been opened or closed. */
  onToggle?: (open: boolean) => void;
  /** Draws thumbnails that have been loaded meanwhile. */
  paint?(): void;
  /** The view has come to rest. */
  onRest?(): void;
  /** Ends what would change the map later: the map is about to be restored from its address. */
  stop?(): void;
  destroy?(): void;
}

export interface PanelKind {
  readonly name: string;
  /** Of two on the left, one closes the other; dialogs are over the map. */
  readonly place: "left" | "right" | "below" | "dialog";
  /** A button in the toolbar, an icon of 24 by 24, a key, and lines of the help: keys, and what they do. */
  readonly button?: { label: string; icon: string; key: string; help: [string, string][] };
  /** The panel of a map; null where the map has nothing for it. */
  make(host: PanelHost): Panel | null;
}

/** A dialog with a heading. */
export function dialog(style: string, heading: string, ...children: Child[]): Panel {
  const id = uniqueId("dialog");
  const close = button("Close", ICONS.close, () => element.close(), { class: "close" });
  const element = make("dialog", { class: style, "aria-labelledby": id }, make("header", {}, make("h2", { id }, heading), close), ...children);
  return {
    element,
    get open() {
      return element.open;
    },
    toggle: () => (element.open ? element.close() : element.showModal()),
  };
}
