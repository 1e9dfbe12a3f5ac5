// What is under the pointer, large, beside it.

import type { Camera } from "./camera";
import type { Content } from "./content";
import { inLine, make, plural } from "./dom";
import type { Sheets } from "./sheets";
import { NOTHING } from "./state";

const PREVIEW = 132; // pixels

export class Card {
  readonly element = make("div", { class: "card", hidden: true, "aria-hidden": "true" });
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
    this.element.hidden = item === NOTHING;
    if (item === NOTHING) return;
    const { content } = this;
    this.name.textContent = inLine(content.name(item));
    this.about.textContent = `${content.domain(item).about.name} · ${plural(content.links.degree(item), "link")}`;
    this.picture.hidden = !paintPreview(this.picture, this.sheets, item);
    const [x, y] = [camera.screenX(content.x[item]), camera.screenY(content.y[item])];
    const [width, height] = [this.element.offsetWidth, this.element.offsetHeight];
    const off = 14 + 0.8 * markSize;
    const left = x + off + width < camera.width ? x + off : x - off - width;
    const top = Math.min(Math.max(8, y - height / 2), camera.height - height - 8);
    this.element.style.transform = `translate(${Math.round(Math.max(8, left))}px, ${Math.round(top)}px)`;
  }
}

/** Draw an item's thumbnail over a whole canvas; false if there is none yet. */
export function paintPreview(canvas: HTMLCanvasElement, sheets: Sheets, item: number): boolean {
  const context = canvas.getContext("2d")!;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  return sheets.paint(context, item, canvas.width / 2, canvas.height / 2, canvas.width);
}
