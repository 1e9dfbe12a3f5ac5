// Thumbnails and names at their places: which are shown, where, and which of them is under the pointer.

import type { Camera } from "./camera";
import type { Content, Domain } from "./content";
import type { Sheets } from "./sheets";
import { type Theme, domainColour } from "./themes";
import { squaresIn } from "./tree";

export interface Mark {
  item: number;
  x: number; // middle, in pixels
  y: number;
  width: number;
  height: number;
}

const MOST_NAMES = 700; // that are tried at a time
const COVERED = 0.55; // share of a thumbnail, around its middle, that no name may reach into
const AIR = [14, 18]; // pixels between names, for thumbnails
const FAINT = 0.3; // opacity of what is not selected
const LONGEST = 36; // letters of a name on the map
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** How far one has zoomed in, in levels. */
export function levelAt(content: Content, k: number): number {
  const { pixels, step } = content.about.levels;
  return Math.log(k / pixels) / Math.log(step);
}

/** Pixels of a thumbnail at a zoom. */
export function thumbnailSize(content: Content, domain: Domain, k: number): number {
  const about = domain.about.thumbnails;
  if (!about) return 0;
  return Math.min(about.smallest * about.growth ** Math.max(-3, levelAt(content, k)), Math.max(about.side, about.smallest));
}

export class Marks {
  private thumbnails: Mark[] = [];
  private names: Mark[] = [];
  private readonly widths = new Map<number, number>();

  constructor(
    private readonly content: Content,
    private readonly sheets: Sheets,
  ) {}

  /** Draw what is shown at a zoom; what is not in the selection, if there is one, faintly. */
  draw(
    context: CanvasRenderingContext2D,
    camera: Camera,
    theme: Theme,
    visible: (domain: Domain) => boolean,
    selection: ReadonlySet<number> | null,
  ): void {
    this.thumbnails = [];
    const candidates: number[] = [];
    for (const domain of this.content.domains) {
      if (!domain.about.thumbnails && domain.names && domain.tree && visible(domain)) this.collect(camera, domain, candidates);
    }
    const taken = new Taken();
    this.placeNames(context, camera, candidates, taken);
    for (const domain of this.content.domains) {
      if (domain.about.thumbnails && domain.tree && visible(domain)) {
        this.drawThumbnails(context, camera, domain, taken, selection);
      }
    }
    prepareText(context);
    for (const mark of this.names) {
      context.globalAlpha = selection && !selection.has(mark.item) ? FAINT : 1;
      this.writeName(context, mark, theme);
    }
    context.globalAlpha = 1;
  }

  /** Draw thumbnails where no name is. */
  private drawThumbnails(
    context: CanvasRenderingContext2D,
    camera: Camera,
    domain: Domain,
    names: Taken,
    selection: ReadonlySet<number> | null,
  ): void {
    const tree = domain.tree!;
    const size = thumbnailSize(this.content, domain, camera.k);
    const level = Math.max(0, Math.floor(levelAt(this.content, camera.k)));
    const box = camera.box(size / 2);
    squaresIn(tree, box, level, (node) => {
      for (let at = node.start; at < node.start + node.count && tree.levels[at] <= level; at++) {
        const item = domain.start + tree.order[at];
        const [mx, my] = [this.content.x[item], this.content.y[item]];
        if (mx < box.x0 || mx > box.x1 || my < box.y0 || my > box.y1) continue;
        const [x, y] = [camera.screenX(mx), camera.screenY(my)];
        const mark = { item, x, y, width: size, height: size };
        if (names.covers(mark, COVERED)) continue;
        context.globalAlpha = selection && !selection.has(item) ? FAINT : 1;
        if (this.sheets.paint(context, item, x, y, size)) this.thumbnails.push(mark);
      }
    });
  }

  private collect(camera: Camera, domain: Domain, candidates: number[]): void {
    const tree = domain.tree!;
    const level = Math.max(0, Math.ceil(levelAt(this.content, camera.k)) + 1);
    const box = camera.box(40);
    squaresIn(tree, box, level, (node) => {
      for (let at = node.start; at < node.start + node.count && tree.levels[at] <= level; at++) {
        const item = domain.start + tree.order[at];
        const [x, y] = [this.content.x[item], this.content.y[item]];
        if (x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1) candidates.push(item);
      }
    });
  }

  /** Find places for names, the most linked first, and leave out those that would cover another. */
  private placeNames(context: CanvasRenderingContext2D, camera: Camera, candidates: number[], taken: Taken): void {
    this.names = [];
    const { strength } = this.content.links;
    candidates.sort((a, b) => strength[b] - strength[a] || a - b);
    const most = Math.min(candidates.length, MOST_NAMES);
    const apart = new Taken();
    for (let rank = 0; rank < most; rank++) {
      const mark = this.nameMark(context, camera, candidates[rank], rank, most);
      if (!apart.take({ ...mark, width: mark.width + AIR[0], height: mark.height + AIR[1] })) continue;
      taken.take(mark);
      this.names.push(mark);
    }
  }

  private nameMark(context: CanvasRenderingContext2D, camera: Camera, item: number, rank: number, most: number): Mark {
    const size = Math.round(11.5 + 4 * Math.max(0, 1 - (6 * rank) / Math.max(most, 60)));
    const width = this.textWidth(context, item) * size + 6;
    const { x, y } = this.content;
    return { item, x: camera.screenX(x[item]), y: camera.screenY(y[item]), width, height: size + 4 };
  }

  /** Width of a name for each pixel of its size; measured once. */
  private textWidth(context: CanvasRenderingContext2D, item: number): number {
    let width = this.widths.get(item);
    if (width === undefined) {
      context.font = `600 20px ${FONT}`;
      width = context.measureText(shortened(this.content.name(item))).width / 20;
      this.widths.set(item, width);
    }
    return width;
  }

  writeName(context: CanvasRenderingContext2D, mark: Mark, theme: Theme): void {
    context.font = `600 ${mark.height - 4}px ${FONT}`;
    const text = shortened(this.content.name(mark.item));
    context.strokeStyle = theme.ground;
    context.strokeText(text, mark.x, mark.y);
    context.fillStyle = domainColour(theme, this.content.domainOf[mark.item]);
    context.fillText(text, mark.x, mark.y);
  }

  /** Names of some items, the first ones first, without overlaps; for what a hovered item is linked to. */
  drawSome(context: CanvasRenderingContext2D, camera: Camera, theme: Theme, items: number[], keepOff: Mark[]): void {
    const taken = new Taken();
    for (const mark of keepOff) if (mark.width) taken.take(mark);
    prepareText(context);
    for (const item of items) {
      const mark = this.nameMark(context, camera, item, 0, 1);
      mark.height = 17;
      mark.width = this.textWidth(context, item) * 13 + 6;
      if (taken.take(mark)) this.writeName(context, mark, theme);
    }
  }

  /** The name or thumbnail under a point of the screen, the uppermost; -1 if there is none. */
  at(px: number, py: number): number {
    for (const marks of [this.names, this.thumbnails]) {
      for (let at = marks.length - 1; at >= 0; at--) {
        const mark = marks[at];
        if (Math.abs(px - mark.x) <= mark.width / 2 && Math.abs(py - mark.y) <= mark.height / 2) return mark.item;
      }
    }
    return -1;
  }

  /** What is on the screen now, for tests and for those who cannot see it. */
  get shown(): { names: Mark[]; thumbnails: Mark[] } {
    return { names: this.names, thumbnails: this.thumbnails };
  }
}

function prepareText(context: CanvasRenderingContext2D): void {
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
}

export function shortened(text: string): string {
  const flat = text.replace(/\s+/g, " ");
  const letters = Array.from(flat);
  return letters.length <= LONGEST ? flat : `${letters.slice(0, LONGEST - 1).join("")}…`;
}

/** Rectangles that are taken, by cells, so that one need not look at all of them. */
class Taken {
  private readonly cells = new Map<number, Mark[]>();

  /** Take a rectangle, if it is free. */
  take(mark: Mark): boolean {
    if (this.covers(mark, 1)) return false;
    for (const cell of this.cellsOf(mark)) {
      const marks = this.cells.get(cell);
      if (marks) marks.push(mark);
      else this.cells.set(cell, [mark]);
    }
    return true;
  }

  /** Whether anything taken reaches into the inner part of a rectangle. */
  covers(mark: Mark, inner: number): boolean {
    for (const cell of this.cellsOf(mark)) {
      for (const other of this.cells.get(cell) ?? []) {
        const apart = Math.abs(mark.x - other.x) * 2 >= inner * mark.width + other.width;
        if (!apart && Math.abs(mark.y - other.y) * 2 < inner * mark.height + other.height) return true;
      }
    }
    return false;
  }

  private cellsOf(mark: Mark): number[] {
    const found: number[] = [];
    const [left, right] = [mark.x - mark.width / 2, mark.x + mark.width / 2].map((x) => Math.floor(x / 64));
    const [top, bottom] = [mark.y - mark.height / 2, mark.y + mark.height / 2].map((y) => Math.floor(y / 64));
    for (let column = left; column <= right; column++) {
      for (let row = top; row <= bottom; row++) found.push(column * 4096 + row);
    }
    return found;
  }
}
