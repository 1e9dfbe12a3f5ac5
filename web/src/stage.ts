// The map itself: layers of dots, of thumbnails and names, and of the highlighted item, that move together.

import { Camera, type Insets } from "./camera";
import { Tooltip } from "./tooltip";
import { colouringOf } from "./colouring";
import type { Content, Domain } from "./content";
import { make, makeSvg } from "./dom";
import { dotSizeIn } from "./dots";
import { type Corner, listenToGestures } from "./gestures";
import { Grid } from "./grid";
import { SheetBudget, drawHighlight } from "./highlight";
import { Marks, thumbnailSize } from "./marks";
import { CanvasPoints, type Points, createPoints } from "./points";
import { Sheets } from "./sheets";
import { NO_ITEM, type State } from "./state";
import { levelOf } from "./tree";

const NARROW = 640; // pixels; as in style.css
const SHORT = 690; // pixels; of a narrow map whose toolbar has two columns
const REACH = 14; // pixels; a dot that is closer is under the pointer

/** What the panels cover of the map; as in style.css. */
function insets(width: number, height: number): Insets {
  if (width <= NARROW) return { left: 0, right: height <= SHORT ? 108 : 64, top: 96, bottom: 56 };
  return { left: width - height > 300 ? 258 : 0, right: 66, top: width - height > 300 ? 0 : 92, bottom: 0 };
}

export class Stage {
  readonly element = make("div", {
    class: "stage",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "map",
  });
  readonly camera = new Camera(() => this.requestDraw());
  readonly marks: Marks;
  readonly sheets: Sheets;
  accelerated = true;
  /** Called with a short message for the user. */
  onNotice: (text: string) => void = () => {};
  /** Called when the map goes on without WebGL. */
  onFallback: () => void = () => {};
  /** Called when the view has come to rest. */
  onRest: () => void = () => {};
  /** Called when thumbnails and names have been drawn, also because more have been loaded. */
  onDecorate: () => void = () => {};

  private points!: Points;
  private grid!: Grid;
  private readonly base = make("canvas", { class: "layer" });
  private readonly top = make("canvas", { class: "layer" });
  private readonly tooltip: Tooltip;
  private readonly outline = makeSvg("polygon");
  private readonly budget = new SheetBudget();
  private selected: ReadonlySet<number> | null = null;
  private frame = 0;
  private decorating = 0;
  private rest = 0;
  private readonly observer = new ResizeObserver(() => this.resize());

  constructor(
    readonly content: Content,
    private readonly state: State,
  ) {
    this.sheets = new Sheets(content, () => this.requestDecorations());
    this.marks = new Marks(content, this.sheets);
    this.tooltip = new Tooltip(content, this.sheets);
    this.element.setAttribute("aria-label", `Map of ${content.about.domains.map((domain) => domain.name).join(" and ")}`);
  }

  async start(): Promise<void> {
    const { points, accelerated } = createPoints(this.content, () => void this.fallBackToCanvas());
    this.points = points;
    this.accelerated = accelerated;
    points.canvas.className = "layer";
    this.element.append(points.canvas, this.base, this.top, makeSvg("svg", { class: "outline", "aria-hidden": "true" }, this.outline), this.tooltip.element);
    this.grid = new Grid(this.content);
    listenToGestures(this.element, this.camera, {
      mode: () => this.state.mode.value,
      hover: (px, py) => (this.state.hovered.value = this.itemAt(px, py)),
      leave: () => (this.state.hovered.value = NO_ITEM),
      click: (px, py) => (this.state.pinned.value = this.clicked(px, py)),
      zoomIn: (px, py, pinned) => {
        this.state.pinned.value = pinned;
        this.camera.zoom(2, px, py);
      },
      pinned: () => this.state.pinned.value,
      outline: (corners) => this.drawOutline(corners),
      enclose: (corners, add) => this.enclose(corners, add),
    });
    const { hovered, pinned, selection, hidden, colour, theme, mode } = this.state;
    hovered.on(() => this.drawTop());
    pinned.on(() => this.drawTop());
    selection.on((items) => {
      this.selected = items.length ? new Set(items) : null;
      this.points.select([...items]);
      this.requestDraw();
    });
    hidden.on(() => this.applyHidden());
    colour.on(() => void this.recolour());
    theme.on(() => void this.recolour());
    mode.on((now) => (this.element.dataset.mode = now));
    this.element.dataset.mode = mode.value;
    this.resize();
    this.observer.observe(this.element);
    await this.recolour();
  }

  /** Go on without WebGL when the browser has taken it away. */
  private async fallBackToCanvas(): Promise<void> {
    const before = this.points;
    this.points = new CanvasPoints(this.content);
    this.points.canvas.className = "layer";
    before.canvas.replaceWith(this.points.canvas);
    before.destroy();
    this.accelerated = false;
    this.points.resize(this.camera.width, this.camera.height);
    this.points.select([...this.state.selection.value]);
    this.applyHidden();
    await this.recolour();
    this.onFallback();
  }

  /** Draw everything in the next frame, once for all changes until then. */
  requestDraw(): void {
    if (!this.points || this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.points.draw(this.camera, () => {
        this.drawBase();
        this.drawTop();
      });
    });
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.onRest(), 250);
  }

  /** Draw thumbnails, names and links in the next frame, without the dots. */
  requestDecorations(): void {
    if (this.frame || this.decorating) return;
    this.decorating = requestAnimationFrame(() => {
      this.decorating = 0;
      this.drawBase();
      this.drawTop();
    });
  }

  isVisible = (domain: Domain): boolean => !this.state.hidden.value.has(domain.index);

  private isShown = (item: number): boolean => !this.state.hidden.value.has(this.content.domainOf[item]);

  itemAt(px: number, py: number): number {
    const marked = this.marks.at(px, py);
    if (marked !== NO_ITEM) return marked;
    const { camera } = this;
    return this.grid.nearest(camera.mapX(px), camera.mapY(py), REACH / camera.k, this.isShown);
  }

  /** The item at a click; another click there gets the next item at the same place. */
  private clicked(px: number, py: number): number {
    const found = this.itemAt(px, py);
    const { x, y } = this.content;
    if (found === NO_ITEM || this.state.pinned.value === NO_ITEM) return found;
    const reach = 1 / this.camera.k;
    const same = this.grid.around(x[found], y[found], reach, this.isShown);
    const at = same.indexOf(this.state.pinned.value);
    return at < 0 ? found : same[(at + 1) % same.length];
  }

  /** The item nearest to the middle of the screen, for use by keyboard. */
  itemInMiddle(): number {
    const { camera } = this;
    return this.grid.nearest(camera.x, camera.y, Math.min(camera.width, camera.height) / 3 / camera.k, this.isShown);
  }

  /** Fly to an item, close enough to see it with some of its neighbours. */
  flyTo(item: number): void {
    const { camera, content } = this;
    const domain = content.domain(item);
    const close = 6 * camera.whole.k * Math.max(1, Math.sqrt(content.count / 4000));
    const level = domain.tree ? levelOf(domain.tree, item - domain.start) : 0;
    const { pixels, step, count } = content.about.levels;
    const k = Math.max(close, level < count ? pixels * step ** (level + 0.5) : 0, camera.whole.k);
    const covered = camera.width <= NARROW ? 0.21 * camera.height : 0; // on narrow screens the panel covers the lower half
    camera.fly({ x: content.x[item], y: content.y[item] - covered / k, k });
  }

  flyAround(items: readonly number[]): void {
    const { x, y } = this.content;
    const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
    for (const item of items) {
      box.x0 = Math.min(box.x0, x[item]);
      box.x1 = Math.max(box.x1, x[item]);
      box.y0 = Math.min(box.y0, y[item]);
      box.y1 = Math.max(box.y1, y[item]);
    }
    if (items.length) this.camera.fly(this.camera.around(box, this.camera.whole.k * 64));
  }

  private enclose(corners: Corner[], add: boolean): void {
    const { camera } = this;
    const polygon = corners.map(([px, py]): Corner => [camera.mapX(px), camera.mapY(py)]);
    const found = this.grid.inside(polygon, this.isShown);
    this.state.selection.value = add ? [...new Set([...this.state.selection.value, ...found])].sort((a, b) => a - b) : found;
    this.state.mode.value = "pan";
    if (!found.length) this.onNotice("No items inside");
  }

  private async recolour(): Promise<void> {
    const { theme, colour } = this.state;
    const colouring = colouringOf(this.content, colour.value, theme.value);
    this.marks.colouring = colour.value ? colouring : null;
    await this.points.colour(colouring, theme.value.background);
    this.requestDraw();
  }

  private applyHidden(): void {
    const { hidden } = this.state;
    const items: number[] = [];
    if (hidden.value.size) {
      for (let item = 0; item < this.content.count; item++) if (this.isShown(item)) items.push(item);
    }
    this.points.filter(hidden.value.size ? items : null);
    this.requestDraw();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.element.toggleAttribute("data-narrow", width <= NARROW);
    for (const canvas of [this.base, this.top]) {
      canvas.width = Math.round(width * devicePixelRatio);
      canvas.height = Math.round(height * devicePixelRatio);
    }
    this.points.resize(width, height);
    this.camera.resize(width, height, insets(width, height));
  }

  private cleared(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const context = canvas.getContext("2d")!;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, this.camera.width, this.camera.height);
    context.imageSmoothingQuality = "high";
    return context;
  }

  private drawBase(): void {
    this.marks.draw(this.cleared(this.base), this.camera, this.state.theme.value, this.isVisible, this.selected);
    this.element.dataset.thumbnails = String(this.marks.shown.thumbnails.length);
    this.element.dataset.names = String(this.marks.shown.names.length);
    this.onDecorate();
  }

  private drawTop(): void {
    const focus = this.state.focus;
    const highlighting = focus !== NO_ITEM && this.isShown(focus);
    this.top.hidden = !highlighting; // an empty layer takes time, and some browsers show what was on it before
    this.element.classList.toggle("highlighting", highlighting);
    this.element.classList.toggle("hovering", highlighting && focus === this.state.hovered.value);
    if (highlighting) drawHighlight(this.cleared(this.top), this, this.state.theme.value, focus, this.isShown, this.budget);
    this.tooltip.show(highlighting && focus === this.state.hovered.value ? focus : NO_ITEM, this.camera, this.markSize(focus));
  }

  /** The size of an item on the screen in pixels. */
  markSize(item: number): number {
    if (item === NO_ITEM) return 0;
    const usual = thumbnailSize(this.content, this.content.domain(item), this.camera.k);
    return this.marks.sizeOf(item) || usual || this.dotSize + 4;
  }

  /** The diameter of the dots on the screen in pixels. */
  get dotSize(): number {
    return dotSizeIn(this.camera, this.content.count);
  }

  private drawOutline(corners: Corner[]): void {
    this.outline.setAttribute("points", corners.map((corner) => corner.join(",")).join(" "));
  }

  destroy(): void {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.decorating);
    clearTimeout(this.rest);
    this.camera.stop();
    this.points?.destroy();
    this.sheets.destroy();
  }
}
