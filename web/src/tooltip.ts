// The item under the pointer, enlarged, beside it.

import type { Camera } from "./camera";
import type { Content } from "./content";
import { make } from "./dom";
import { singleLine } from "./format";
import { sampleNote } from "./highlight";
import type { Sheets } from "./sheets";
import { NO_ITEM } from "./state";

const PREVIEW = 132; // pixels

export class Tooltip {
  readonly element = make("div", { class: "item-tooltip", hidden: true, "aria-hidden": "true" });
  private readonly picture = make("canvas");
  private readonly name = make("strong");
  private readonly about = make("span");

  constructor(
    private readonly content: Content,
    private readonly sheets: Sheets,
  ) {
    this.picture.width = this.picture.height = PREVIEW * devicePixelRatio;
    this.element.append(this.picture, this.name, this.about);
  }

  show(item: number, camera: Camera, markSize: number): void {
    this.element.hidden = item === NO_ITEM;
    if (item === NO_ITEM) return;
    const { content } = this;
    this.name.textContent = singleLine(content.name(item));
    this.about.textContent = [content.caption(item), sampleNote(content.links.degree(item))].filter(Boolean).join("\n");
    this.picture.hidden = !this.sheets.paintPreview(this.picture, item);
    const [x, y] = [camera.screenX(content.x[item]), camera.screenY(content.y[item])];
    const [width, height] = [this.element.offsetWidth, this.element.offsetHeight];
    const off = 14 + 0.8 * markSize;
    const left = x + off + width < camera.width ? x + off : x - off - width;
    const top = Math.min(Math.max(8, y - height / 2), camera.height - height - 8);
    this.element.style.transform = `translate(${Math.round(Math.max(8, left))}px, ${Math.round(top)}px)`;
  }
}
