// Thumbnails and names at their places: which are shown, where, and which of them is under the pointer.

import type { Camera } from "./camera";
import type { Colouring } from "./colouring";
import type { Content, Domain } from "./content";
import type { Sheets } from "./sheets";
import { type Mark, Taken } from "./taken";
import { type Theme, domainColour } from "./themes";
import { squaresIn } from "./tree";

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
  /** Colours by a column; null where domains have theirs. */
  colouring: Colouring | null = null;

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
    this.sheets.begin();
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
        if (!this.sheets.paint(context, item, x, y, size)) continue;
        this.thumbnails.push(mark);
        const code = this.colouring?.codes[item];
        if (!this.colouring || !code) continue;
        context.strokeStyle = this.colouring.palette[code];
        context.lineWidth = 2.5;
        context.strokeRect(x - size / 2, y - size / 2, size, size);
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
    const alpha = context.globalAlpha;
    context.globalAlpha = 0.72 * alpha; // a dot behind a name would read as a letter
    context.fillStyle = theme.ground;
    context.fillRect(mark.x - mark.width / 2, mark.y - mark.height / 2, mark.width, mark.height);
    context.globalAlpha = alpha;
    context.strokeStyle = theme.ground;
    context.strokeText(text, mark.x, mark.y);
    context.fillStyle = this.colouring ? theme.soft : domainColour(theme, this.content.domainOf[mark.item]);
    context.fillText(text, mark.x, mark.y);
  }

  /** Names of some items, the first ones first, without overlaps; for what a hovered item is linked to. */
  drawSome(context: CanvasRenderingContext2D, camera: Camera, theme: Theme, items: number[], keepOff: Mark[]): void {
    const taken = new Taken();
    for (const mark of keepOff) if (mark.width) taken.take(mark);
    prepareText(context);
    for (const item of items) {
      const mark = this.names.find((each) => each.item === item) ?? this.nameMark(context, camera, item, most(items), items.length);
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

/** A rank at which names are small. */
function most(items: number[]): number {
  return Math.max(items.length, 60);
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
