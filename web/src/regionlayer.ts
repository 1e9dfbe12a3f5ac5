// Names and outlines of regions on the map. They fade by base.css, so that no frame is drawn for it.

import type { Camera } from "./camera";
import { CollisionIndex, type Mark } from "./collisions";
import { REGION, colouringOf } from "./colouring";
import type { Content } from "./content";
import { make, makeSvg } from "./dom";
import { NO_REGION, type Region, smoothPath } from "./regions";
import { shorten } from "./marks";
import type { State } from "./state";

const TINT = "1c"; // opacity of a region's colour behind its items, of 255
const FADE = 320; // milliseconds; a little more than in regions.css
const AROUND = [20, 12]; // pixels that are kept free around a name, both sides together
const MARGIN = 4; // pixels between a name and the edge of the screen
const LONGEST_WORD = 24; // characters
const REST = 150; // milliseconds without a move, after which outlines are drawn anew
const LARGEST_STRETCH = 2; // of outlines that move as a picture
const BEYOND = 300; // pixels around the screen where names are placed too, so that panning does not change them
/** Where a name can be, in its own widths and heights from the densest place of its region. */
const PLACES = [[0, 0], [0, -0.8], [0, 0.8], [0, -1.6], [0, 1.6], [-0.35, -0.8], [0.35, -0.8], [-0.35, 0.8], [0.35, 0.8], [-0.5, 0], [0.5, 0]];

/** Where the middle of the map is on the screen, and how many pixels a unit has. */
interface Placement {
  x: number;
  y: number;
  k: number;
}

/** A region on the screen. */
interface Drawn {
  region: Region;
  label: HTMLElement;
  shape: SVGElement;
  size: [number, number] | null; // of the label, in pixels; null before it is measured
  offset: number[]; // of the label from the region's middle, in pixels
  named: boolean; // whether there is room for its label
  until: number; // when its label will have faded, and need not move with the map any more
}

export class RegionLayer {
  readonly shapes: SVGSVGElement;
  readonly labels = make("div", { class: "layer region-labels", "aria-hidden": "true" });
  private readonly map = makeSvg("g");
  private readonly drawn = new Map<number, Drawn>();
  private shownItems: Uint32Array | null = null; // how many of each region are; null where all are
  private marks: Mark[] = []; // with a region's number for an item
  private drawnAt: Placement | null = null; // of the outlines as they are drawn
  private resting = 0;

  constructor(
    private readonly content: Content,
    private readonly state: State,
  ) {
    this.shapes = makeSvg("svg", { class: "layer region-shapes", "aria-hidden": "true" }, this.map);
    state.hoveredRegion.on(() => this.emphasise());
    state.region.on(() => this.emphasise());
    state.selection.on(() => this.emphasise());
    for (const signal of [state.colour, state.theme]) signal.on(() => this.drawn.forEach((each) => this.tint(each)));
    state.passing.on(() => this.recount());
    state.hidden.on(() => this.recount());
  }

  /** Fill a region in the colour of its items, where these are coloured by region. */
  private tint({ region, shape }: Drawn): void {
    const { colour, theme } = this.state;
    if (colour.value !== REGION) return void shape.style.removeProperty("--region-fill");
    shape.style.setProperty("--region-fill", `${colouringOf(this.content, REGION, theme.value).palette[1 + region.index]}${TINT}`);
  }

  private recount(): void {
    const { passing, hidden } = this.state;
    const { regions, domains, count } = this.content;
    if (!hidden.value.size) return void (this.shownItems = passing.value && regions.counts(passing.value));
    const shown = passing.value?.slice() ?? new Uint8Array(count).fill(1);
    for (const { index, start, count: size } of domains) if (hidden.value.has(index)) shown.fill(0, start, start + size);
    this.shownItems = regions.counts(shown);
  }

  /** Draw the regions that a camera sees, and return the places of their names, which nothing else may cover. */
  draw(camera: Camera): Mark[] {
    const { regions } = this.content;
    const atZoom = this.state.regions.value ? regions.atZoom(camera.k / camera.whole.k) : [];
    const current = atZoom.filter((region) => this.shownItems?.[region.index] !== 0);
    const box = camera.box(BEYOND);
    const inView = current.filter(({ box: own }) => own.x1 > box.x0 && own.x0 < box.x1 && own.y1 > box.y0 && own.y0 < box.y1);
    this.place(camera, inView.map((region) => this.of(region.index)));
    const outlined = new Set([...inView.map((region) => region.index), ...this.emphasised]);
    const now = performance.now();
    for (const each of this.drawn.values()) this.show(each, outlined.has(each.region.index), camera, now);
    this.move({ x: camera.screenX(0), y: camera.screenY(0), k: camera.k });
    return this.marks.map(spaced);
  }

  /** Move outlines with the map: as a picture, since drawing them in every frame takes longer than all else, until it rests. */
  private move(now: Placement): void {
    const before = this.drawnAt;
    const stretch = before ? now.k / before.k : 0;
    clearTimeout(this.resting);
    if (!before || stretch > LARGEST_STRETCH || stretch < 1 / LARGEST_STRETCH) {
      this.settle(now);
      return;
    }
    this.shapes.style.transform = `translate(${now.x - stretch * before.x}px, ${now.y - stretch * before.y}px) scale(${stretch})`;
    this.resting = window.setTimeout(() => this.settle(now), REST);
  }

  private settle(now: Placement): void {
    this.drawnAt = now;
    this.shapes.style.transform = "none";
    this.map.setAttribute("transform", `translate(${now.x} ${now.y}) scale(${now.k} ${-now.k})`);
  }

  /** The region whose name is under a point of the screen. */
  at(px: number, py: number): number {
    const found = this.marks.find((mark) => Math.abs(px - mark.x) <= mark.width / 2 && Math.abs(py - mark.y) <= mark.height / 2);
    return found ? found.item : NO_REGION;
  }

  /** Names that are on the screen now; for tests and scripts. */
  get shown(): Mark[] {
    return this.marks;
  }

  /** Whether a word is on the screen already, in the name of a region. */
  says(word: string): boolean {
    return this.marks.some(({ item }) => {
      const { depth, words } = this.content.regions.all[item];
      return depth === 0 ? words.includes(word) : words[0] === word; // closer, small words do not stand for their item
    });
  }

  /** Measure names anew: their size depends on that of the screen. */
  resize(): void {
    for (const each of this.drawn.values()) each.size = null;
    this.drawnAt = null;
  }

  /** Regions that are outlined at any zoom: the one under the pointer, and the selected one. */
  private get emphasised(): number[] {
    return [this.state.hoveredRegion.value, this.state.region.value].filter((index) => index !== NO_REGION);
  }

  /** Place names, the largest regions' first, where no other is; those without room are left out. */
  private place(camera: Camera, regions: Drawn[]): void {
    const occupied = new CollisionIndex();
    this.marks = [];
    for (const each of this.drawn.values()) each.named = false;
    for (const each of regions.sort((a, b) => b.region.count - a.region.count)) {
      each.size ??= [each.label.offsetWidth, each.label.offsetHeight];
      const mark = candidates(each.region, each.size, camera).find((candidate) => occupied.place(spaced(candidate)));
      if (!mark) continue;
      this.marks.push(mark);
      each.named = true;
      each.offset = [mark.x - camera.screenX(each.region.x), mark.y - camera.screenY(each.region.y)];
    }
  }

  private show(each: Drawn, outlined: boolean, camera: Camera, now: number): void {
    if (each.label.classList.toggle("shown", each.named)) each.until = Infinity;
    else if (each.until === Infinity) each.until = now + FADE;
    each.shape.classList.toggle("shown", outlined);
    if (now > each.until) return;
    const [width, height] = each.size ?? [0, 0];
    const x = camera.screenX(each.region.x) + each.offset[0] - width / 2;
    const y = camera.screenY(each.region.y) + each.offset[1] - height / 2;
    const whole = (pixels: number) => Math.round(pixels * devicePixelRatio) / devicePixelRatio; // letters stay sharp
    each.label.style.transform = `translate(${whole(x)}px, ${whole(y)}px)`;
  }

  private of(index: number): Drawn {
    let found = this.drawn.get(index);
    if (!found) {
      const region = this.content.regions.all[index];
      const [first, ...others] = region.words.map((word) => shorten(word, LONGEST_WORD));
      const label = make("div", { class: "region-label", "data-depth": Math.min(region.depth, 3) }, make("strong", {}, first));
      if (others.length) label.append(make("span", {}, others.join(" · ")));
      const shape = makeSvg("path", { d: region.outlines.map(smoothPath).join(""), "vector-effect": "non-scaling-stroke" });
      this.labels.append(label);
      this.map.append(shape);
      found = { region, label, shape, size: null, offset: [0, 0], named: false, until: 0 };
      this.drawn.set(index, found);
      this.tint(found);
      this.mark(found);
    }
    return found;
  }

  private emphasise(): void {
    for (const index of this.emphasised) this.of(index);
    this.labels.classList.toggle("selecting", this.state.selection.value.length > 0);
    for (const each of this.drawn.values()) this.mark(each);
  }

  /** Tell the style whether a region is under the pointer, selected, or a part of the selected one. */
  private mark({ region: { index }, label, shape }: Drawn): void {
    const { hoveredRegion, region: chosen } = this.state;
    label.classList.toggle("inside", this.content.regions.path(index).some((around) => around.index === chosen.value));
    for (const element of [label, shape]) {
      element.classList.toggle("hovered", index === hoveredRegion.value);
      element.classList.toggle("chosen", index === chosen.value);
    }
  }
}

/** The places where the name of a region can be, all of them in the region, the best first. */
function candidates(region: Region, [width, height]: [number, number], camera: Camera): Mark[] {
  const { x0, x1, y0, y1 } = region.box;
  const [left, right, top, bottom] = [camera.screenX(x0), camera.screenX(x1), camera.screenY(y1), camera.screenY(y0)];
  const [px, py] = [camera.screenX(region.x), camera.screenY(region.y)];
  // a name is whole while its place is on the screen, and leaves the screen together with it
  const edge = width / 2 + MARGIN;
  const [first, last] = [edge + Math.min(0, px), camera.width - edge + Math.max(0, px - camera.width)];
  const within = (x: number) => (first < last ? Math.min(last, Math.max(first, x)) : x);
  return PLACES.map(([across, down]) => ({ item: region.index, x: within(px + across * width), y: py + down * height, width, height })).filter(
    ({ x, y }) => x >= left && x <= right && y >= top && y <= bottom,
  );
}

/** A name with the space that is kept free around it. */
function spaced(mark: Mark): Mark {
  return { ...mark, width: mark.width + AROUND[0], height: mark.height + AROUND[1] };
}
