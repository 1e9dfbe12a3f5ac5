// Where on the map one is: the regions around the middle of the view that are too large to be named there.

import type { Content } from "./content";
import type { ChooseRegion } from "./contents";
import { make } from "./dom";
import { singleLine } from "./format";
import type { Stage } from "./stage";
import { NO_ITEM } from "./state";

export class Whereabouts {
  readonly element = make("nav", { class: "whereabouts", "aria-label": "Where on the map", hidden: true });

  constructor(
    private readonly content: Content,
    private readonly stage: Stage,
    private readonly choose: ChooseRegion,
  ) {}

  /** Tell of the view as it is now. */
  update(): void {
    const { camera } = this.stage;
    const item = this.stage.itemInMiddle();
    const around = item === NO_ITEM ? [] : this.content.regions.around(item, camera.k / camera.whole.k);
    const links = around.map((region) =>
      make("button", { type: "button", class: "region-link", title: singleLine(region.name), click: () => this.choose(region.index) }, singleLine(region.words[0])),
    );
    const parts = links.flatMap((link, at) => (at ? [make("span", { "aria-hidden": "true" }, "›"), link] : [link]));
    this.element.replaceChildren(...parts);
    this.element.hidden = !parts.length;
  }
}
