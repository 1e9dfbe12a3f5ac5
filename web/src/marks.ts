// Thumbnails and names on the map: which are shown, where, and which is under the pointer.

import type { Camera } from "./camera";
import type { Colouring } from "./colouring";
import type { Content, Domain } from "./content";
import { dotSizeIn } from "./dots";
import { fittedSides, mostWithRoom, roomySide } from "./room";
import type { Sheets } from "./sheets";
import { CollisionIndex, type Mark } from "./collisions";
import { type Theme, domainColour } from "./themes";
import { itemsWithin, visitSquares } from "./tree";

const MOST_NAMES = 700; // that are tried for one view
const FEW_NAMES = 20; // on a map of pictures in the overview; closer, as many more as one has zoomed in
const CORE = 0.55; // share of a thumbnail, around its middle, that no name may reach into
const NAME_MARGIN = [14, 18]; // pixels between names, horizontally and vertically, so that thumbnails fit in between
const FAINT_OPACITY = 0.3; // opacity of what is not selected
const LONGEST_NAME = 36; // characters
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** The zoom as a level, which is a fraction between two levels. */
export function levelAt(content: Content, k: number): number {
  const { pixels, step } = content.about.levels;
  return Math.log(k / pixels) / Math.log(step);
}

/** The size of a thumbnail in pixels at a zoom. */
export function thumbnailSize(content: Content, domain: Domain, k: number): number {
  const about = domain.about.thumbnails;
  if (!about) return 0;
  return Math.min(about.smallest * about.growth ** Math.max(-3, levelAt(content, k)), Math.max(about.side, about.smallest));
}

export class Marks {
  private thumbnails: Mark[] = [];
  private names: Mark[] = [];
  private readonly sizes = new Map<number, number>(); // of the thumbnails
  private readonly widths = new Map<number, number>();
  /** Whether all names that fit are shown on a map of pictures. */
  allNames = false;
  /** Colours by a column; null where kinds have their own colours. */
  colouring: Colouring | null = null;
  /** 1 for items that pass all filters: only these are shown. null without filters. */
  passing: Uint8Array | null = null;

  constructor(
    private readonly content: Content,
    private readonly sheets: Sheets,
  ) {}

  /**
   * Draw what is shown at the camera's zoom; where there is a selection, the rest is faint. The names of regions have
   * `reserved` places, and items that are called the same are not named a second time.
   */
  draw(
    context: CanvasRenderingContext2D,
    camera: Camera,
    theme: Theme,
    visible: (domain: Domain) => boolean,
    selection: ReadonlySet<number> | null,
    reserved: Mark[] = [],
    isSaid: (name: string) => boolean = () => false,
  ): void {
    this.sheets.beginFrame();
    this.thumbnails = [];
    this.sizes.clear();
    const candidates: number[] = [];
    const alone = !this.content.domains.every(visible); // without the others there is room for more of a kind
    for (const domain of this.content.domains) {
      if (!domain.about.thumbnails && domain.names && domain.tree && visible(domain)) this.collectNames(camera, domain, candidates, alone);
    }
    const occupied = new CollisionIndex();
    for (const mark of reserved) occupied.place(mark);
    const named = candidates.filter((item) => !isSaid(this.content.name(item)));
    const pictures = this.content.domains.some((domain) => domain.about.thumbnails && visible(domain)); // which come first
    this.placeNames(context, camera, named, occupied, reserved, pictures);
    for (const domain of this.content.domains) {
      if (domain.about.thumbnails && domain.tree && visible(domain)) {
        this.drawThumbnails(context, camera, theme, domain, occupied, selection);
      }
    }
    prepareText(context);
    for (const mark of this.names) {
      context.globalAlpha = selection && !selection.has(mark.item) ? FAINT_OPACITY : 1;
      this.writeName(context, mark, theme);
    }
    context.globalAlpha = 1;
  }

  /** Draw thumbnails where no name is. */
  private drawThumbnails(
    context: CanvasRenderingContext2D,
    camera: Camera,
    theme: Theme,
    domain: Domain,
    names: CollisionIndex,
    selection: ReadonlySet<number> | null,
  ): void {
    const usual = thumbnailSize(this.content, domain, camera.k);
    const dot = dotSizeIn(camera, this.content.count);
    for (const mark of this.roomyMarks(camera, domain, names, usual) ?? this.usualMarks(camera, domain, names, usual)) {
      const { item, x, y, width: size } = mark;
      context.globalAlpha = selection && !selection.has(item) ? FAINT_OPACITY : 1;
      if (!this.sheets.paint(context, item, x, y, size)) continue;
      this.thumbnails.push(mark);
      this.sizes.set(item, size);
      coverDot(context, x, y, dot, theme);
      const code = this.colouring?.codes[item];
      if (!this.colouring || !code) continue;
      context.strokeStyle = this.colouring.palette[code];
      context.lineWidth = 2.5;
      context.strokeRect(x - size / 2, y - size / 2, size, size);
    }
  }

  /** Those pictures in view that are shown at the zoom, all of the usual size. */
  private usualMarks(camera: Camera, domain: Domain, names: CollisionIndex, size: number): Mark[] {
    const tree = domain.tree!;
    const level = Math.max(0, Math.floor(levelAt(this.content, camera.k)));
    const box = camera.box(size / 2);
    const found: Mark[] = [];
    visitSquares(tree, box, level, (node) => {
      for (let at = node.start; at < node.start + node.count && tree.levels[at] <= level; at++) {
        const item = domain.start + tree.order[at];
        const [mx, my] = [this.content.x[item], this.content.y[item]];
        if (mx < box.x0 || mx > box.x1 || my < box.y0 || my > box.y1 || this.passing?.[item] === 0) continue;
        const mark = { item, x: camera.screenX(mx), y: camera.screenY(my), width: size, height: size };
        if (!names.overlaps(mark, CORE)) found.push(mark);
      }
    });
    return found;
  }

  /** All pictures in view, as large as their neighbours allow; null if there are too many for that. */
  private roomyMarks(camera: Camera, domain: Domain, names: CollisionIndex, usual: number): Mark[] | null {
    const { width, height } = camera;
    const tree = domain.tree!;
    const pixels = domain.about.thumbnails!.side;
    const placeOf = (own: number): [number, number] => [this.content.x[domain.start + own], this.content.y[domain.start + own]];
    const found = itemsWithin(tree, camera.box(pixels / 2), placeOf, mostWithRoom(width, height, usual), this.acceptIn(domain));
    if (!found) return null;
    const largest = roomySide(width, height, found.length, usual, pixels);
    const places = found.map((at) => {
      const [mx, my] = placeOf(tree.order[at]);
      const [x, y] = [camera.screenX(mx), camera.screenY(my)];
      return { item: domain.start + tree.order[at], x, y, widest: names.widestAround(x, y, largest, CORE) };
    });
    const sides = fittedSides(places, usual, largest);
    return places.map(({ item, x, y }, at) => ({ item, x, y, width: sides[at], height: sides[at] })).filter((mark) => mark.width > 0);
  }

  private collectNames(camera: Camera, domain: Domain, candidates: number[], alone: boolean): void {
    const tree = domain.tree!;
    const level = Math.max(0, Math.ceil(levelAt(this.content, camera.k)) + 1);
    const box = camera.box(40);
    const accept = this.acceptIn(domain);
    const placeOf = (own: number): [number, number] => [this.content.x[domain.start + own], this.content.y[domain.start + own]];
    const few = accept || alone ? itemsWithin(tree, box, placeOf, MOST_NAMES, accept) : null; // all of few may have room
    if (few) {
      for (const at of few) candidates.push(domain.start + tree.order[at]);
      return;
    }
    visitSquares(tree, box, level, (node) => {
      for (let at = node.start; at < node.start + node.count && tree.levels[at] <= level; at++) {
        const item = domain.start + tree.order[at];
        const [x, y] = [this.content.x[item], this.content.y[item]];
        if (x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1 && this.passing?.[item] !== 0) candidates.push(item);
      }
    });
  }

  /** Which of a kind's items pass the filters; null where all do. */
  private acceptIn({ start }: Domain): ((own: number) => boolean) | null {
    const { passing } = this;
    return passing && ((own) => passing[start + own] === 1);
  }

  /** Place names, those that say most first, and leave out those that would cover another. */
  private placeNames(
    context: CanvasRenderingContext2D,
    camera: Camera,
    candidates: number[],
    occupied: CollisionIndex,
    reserved: Mark[],
    steppingBack: boolean,
  ): void {
    this.names = [];
    const { prominence } = this.content;
    candidates.sort((a, b) => prominence[b] - prominence[a] || a - b);
    const most = Math.min(candidates.length, MOST_NAMES);
    const wanted = steppingBack && !this.allNames ? (FEW_NAMES * camera.k) / camera.whole.k : most;
    const spaced = new CollisionIndex();
    for (const mark of reserved) spaced.place(mark);
    for (let rank = 0; rank < most && this.names.length < wanted; rank++) {
      const mark = this.nameMark(context, camera, candidates[rank], rank, most);
      if (!spaced.place({ ...mark, width: mark.width + NAME_MARGIN[0], height: mark.height + NAME_MARGIN[1] })) continue;
      occupied.place(mark);
      this.names.push(mark);
    }
  }

  private nameMark(context: CanvasRenderingContext2D, camera: Camera, item: number, rank: number, most: number): Mark {
    const size = Math.round(11.5 + 4 * Math.max(0, 1 - (6 * rank) / Math.max(most, 60)));
    const width = this.textWidth(context, item) * size + 6;
    const { x, y } = this.content;
    return { item, x: camera.screenX(x[item]), y: camera.screenY(y[item]), width, height: size + 4 };
  }

  /** The width of a name relative to its font size; measured once. */
  private textWidth(context: CanvasRenderingContext2D, item: number): number {
    let width = this.widths.get(item);
    if (width === undefined) {
      context.font = `600 20px ${FONT}`;
      width = context.measureText(shorten(this.content.name(item))).width / 20;
      this.widths.set(item, width);
    }
    return width;
  }

  writeName(context: CanvasRenderingContext2D, mark: Mark, theme: Theme): void {
    context.font = `600 ${mark.height - 4}px ${FONT}`;
    const text = shorten(this.content.name(mark.item));
    const alpha = context.globalAlpha;
    context.globalAlpha = 0.72 * alpha; // a dot behind a name would read as a letter
    context.fillStyle = theme.background;
    context.fillRect(mark.x - mark.width / 2, mark.y - mark.height / 2, mark.width, mark.height);
    context.globalAlpha = alpha;
    context.strokeStyle = theme.background;
    context.strokeText(text, mark.x, mark.y);
    context.fillStyle = domainColour(theme, this.content.domainOf[mark.item]); // whatever colours stand for, names tell kinds apart
    context.fillText(text, mark.x, mark.y);
  }

  /** Draw the names of given items without overlaps, in order of priority; for the links of the item in focus. */
  drawNamesOf(context: CanvasRenderingContext2D, camera: Camera, theme: Theme, items: number[], keepOff: Mark[]): void {
    const occupied = new CollisionIndex();
    for (const mark of keepOff) if (mark.width) occupied.place(mark);
    prepareText(context);
    for (const item of items) {
      const mark = this.names.find((each) => each.item === item) ?? this.nameMark(context, camera, item, smallRank(items), items.length);
      if (occupied.place(mark)) this.writeName(context, mark, theme);
    }
  }

  /** The topmost name or thumbnail under a point of the screen; -1 if there is none. */
  at(px: number, py: number): number {
    for (const marks of [this.names, this.thumbnails]) {
      for (let at = marks.length - 1; at >= 0; at--) {
        const mark = marks[at];
        if (Math.abs(px - mark.x) <= mark.width / 2 && Math.abs(py - mark.y) <= mark.height / 2) return mark.item;
      }
    }
    return -1;
  }

  /** The size of an item's thumbnail on the screen, in pixels; undefined where there is none. */
  sizeOf(item: number): number | undefined {
    return this.sizes.get(item);
  }

  /** What is on the screen now; for tests and scripts. */
  get shown(): { names: Mark[]; thumbnails: Mark[] } {
    return { names: this.names, thumbnails: this.thumbnails };
  }
}

/** Whether a map has pictures, and names of other things beside them. */
export function hasPictures({ domains }: Content): boolean {
  return domains.some((domain) => domain.about.thumbnails) && domains.some((domain) => domain.about.named && !domain.about.thumbnails);
}

/** A rank low enough for a name to be written small. */
function smallRank(items: number[]): number {
  return Math.max(items.length, 60);
}

/** Hide the dot behind a thumbnail, which may be transparent. */
function coverDot(context: CanvasRenderingContext2D, x: number, y: number, dot: number, theme: Theme): void {
  context.globalCompositeOperation = "destination-over";
  context.globalAlpha = 1;
  context.fillStyle = theme.background;
  context.beginPath();
  context.arc(x, y, dot / 2 + 1, 0, 2 * Math.PI);
  context.fill();
  context.globalCompositeOperation = "source-over";
}

function prepareText(context: CanvasRenderingContext2D): void {
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
}

export function shorten(text: string, longest = LONGEST_NAME): string {
  const flat = text.replace(/\s+/g, " ");
  const letters = Array.from(flat);
  return letters.length <= longest ? flat : `${letters.slice(0, longest - 1).join("")}…`;
}
