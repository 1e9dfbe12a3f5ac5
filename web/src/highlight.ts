// The item in focus, its links, and what it is linked to, on top of everything else.

import type { Mark } from "./collisions";
import type { Stage } from "./stage";
import { type Theme, domainColour } from "./themes";

const MOST_LINKS = 400; // links that are drawn, the heaviest first
const ENLARGEMENT = 1.6; // of the thumbnail of the item in focus
const MOST_SHEETS = 12; // loaded for the thumbnails of linked items; the rest stay dots

/** Limits how many sheets of thumbnails are loaded for the item in focus. */
export class SheetBudget {
  private item = -1;
  private left = 0;

  spend(item: number): boolean {
    if (item !== this.item) [this.item, this.left] = [item, MOST_SHEETS];
    return this.left-- > 0;
  }
}

export function drawHighlight(
  context: CanvasRenderingContext2D,
  stage: Stage,
  theme: Theme,
  item: number,
  shown: (item: number) => boolean,
  budget: SheetBudget,
): void {
  const { camera, content, marks, sheets } = stage;
  const { x, y, links } = content;
  const linked = links.of(item).filter((link) => shown(link.item)).slice(0, MOST_LINKS);
  const [px, py] = [camera.screenX(x[item]), camera.screenY(y[item])];
  const heaviest = Math.max(...linked.map((link) => link.weight), 1e-9);
  context.lineWidth = 1.3;
  for (const { item: other, weight } of linked) {
    context.globalAlpha = 0.15 + 0.55 * (weight / heaviest) * Math.max(0.35, 1 - linked.length / MOST_LINKS);
    context.strokeStyle = domainColour(theme, content.domainOf[other]);
    context.beginPath();
    context.moveTo(px, py);
    context.lineTo(camera.screenX(x[other]), camera.screenY(y[other]));
    context.stroke();
  }
  context.globalAlpha = 1;
  const named: number[] = [];
  const box = camera.box(60);
  for (let at = linked.length - 1; at >= 0; at--) {
    const other = linked[at].item;
    const domain = content.domain(other);
    const [ox, oy] = [camera.screenX(x[other]), camera.screenY(y[other])];
    if (x[other] < box.x0 || x[other] > box.x1 || y[other] < box.y0 || y[other] > box.y1) continue;
    const pictured = domain.about.thumbnails && (sheets.has(other) || budget.spend(item));
    if (pictured && sheets.paint(context, other, ox, oy, stage.markSize(other))) continue;
    dot(context, ox, oy, domain.about.thumbnails ? 4 : 3, domainColour(theme, domain.index), theme);
    if (domain.names && !domain.about.thumbnails) named.unshift(other);
  }
  const size = ENLARGEMENT * stage.markSize(item);
  const own: Mark = { item, x: px, y: py, width: size, height: size };
  const domain = content.domain(item);
  if (!sheets.paint(context, item, px, py, size)) {
    dot(context, px, py, 6, domainColour(theme, domain.index), theme);
    if (domain.names && !domain.about.thumbnails) named.unshift(item);
    own.width = own.height = 0;
  }
  marks.drawNamesOf(context, camera, theme, named, [own]);
}

function dot(context: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string, theme: Theme): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = theme.background;
  context.stroke();
}
