// Where on the map one is: the regions around the middle of the view that are too large to be named there.

import type { Content } from "./content";
import { focusedIn, make } from "./dom";
import { singleLine } from "./format";
import type { Stage } from "./stage";
import { NO_ITEM } from "./state";

export class Whereabouts {
  private path = ""; // that the element shows
  readonly element = make("nav", { class: "whereabouts", "aria-label": "Where on the map", hidden: true });

  constructor(
    private readonly content: Content,
    private readonly stage: Stage,
    private readonly choose: (region: number) => void,
  ) {}

  /** Show where the view is now. */
  update(): void {
    const { camera } = this.stage;
    const item = this.stage.itemInMiddle();
    const around = item === NO_ITEM ? [] : this.content.regions.around(item, camera.k / camera.whole.k);
    const path = around.map((region) => region.index).join();
    if (path === this.path) return; // or keyboard users would lose the focus with every step of the map
    this.path = path;
    const focused = focusedIn(this.element)?.dataset.region;
    const links = around.map((region) =>
      make("button", { type: "button", class: "region-link", title: singleLine(region.name), "data-region": region.index, click: () => this.choose(region.index) }, singleLine(region.words[0])),
    );
    const parts = links.flatMap((link, at) => (at ? [make("span", { "aria-hidden": "true" }, "›"), link] : [link]));
    this.element.replaceChildren(...parts);
    this.element.hidden = !parts.length;
    if (focused === undefined) return;
    const same = links.find((link) => link.dataset.region === focused) ?? links.at(-1) ?? this.stage.element;
    same.focus({ preventScroll: true });
  }
}
