// The item in focus, its links, and what it is linked to, on top of everything else.

import type { Mark } from "./collisions";
import { formatCount } from "./format";
import type { Link } from "./links";
import type { Stage } from "./stage";
import { type Theme, domainColour } from "./themes";

const MOST_ENDS = 400; // linked items that are drawn
const MOST_LINES = 120; // links that are drawn as lines; more would be a solid wedge
const INK = 20; // opacity of all lines together
const DARKEST = 0.65; // opacity of a single line
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

/** The heaviest links, up to a limit; of those whose weight is at the limit, some from near to far. */
export function linkSample(linked: readonly Link[], most: number): Link[] {
  if (linked.length <= most) return [...linked];
  const limit = linked[most - 1].weight;
  const heavier = linked.filter((link) => link.weight > limit);
  const equal = linked.filter((link) => link.weight === limit);
  const count = most - heavier.length;
  const some = Array.from({ length: count }, (_, at) => equal[Math.floor((at * equal.length) / count)]);
  return [...heavier, ...some];
}

/** The opacity of one of several lines, of a link that weighs a share of the heaviest one. */
export function lineOpacity(lines: number, share: number): number {
  return Math.min(DARKEST, INK / Math.max(1, lines)) * (0.3 + 0.7 * share);
}

/** What to tell of an item that has more links than are drawn; empty for others. */
export function sampleNote(links: number): string {
  return links > MOST_LINES ? `${formatCount(MOST_LINES)} of ${formatCount(links)} links are drawn` : "";
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
  const linked = linkSample(links.of(item).filter((link) => shown(link.item)), MOST_ENDS);
  const lines = linkSample(linked, MOST_LINES);
  const [px, py] = [camera.screenX(x[item]), camera.screenY(y[item])];
  const heaviest = Math.max(...lines.map((link) => link.weight), 1e-9);
  context.lineWidth = 1.3;
  for (const { item: other, weight } of lines) {
    context.globalAlpha = lineOpacity(lines.length, weight / heaviest);
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
    dot(context, ox, oy, Math.max(domain.about.thumbnails ? 4 : 3, stage.dotSize / 2 + 1), domainColour(theme, domain.index), theme);
    if (domain.names && !domain.about.thumbnails) named.unshift(other);
  }
  const size = ENLARGEMENT * stage.markSize(item);
  const own: Mark = { item, x: px, y: py, width: size, height: size };
  const domain = content.domain(item);
  if (!sheets.paint(context, item, px, py, size)) {
    dot(context, px, py, Math.max(6, stage.dotSize / 2 + 3), domainColour(theme, domain.index), theme);
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
