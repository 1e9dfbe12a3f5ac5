// The map itself: layers of dots, of thumbnails and names, and of the highlighted item, that move together.

import { type Box, Camera, type Insets } from "./camera";
import { colouringOf } from "./colouring";
import type { Content, Domain } from "./content";
import { onDensityChange } from "./density";
import { make, makeSvg } from "./dom";
import { dotSizeIn } from "./dots";
import { boxAround, closeTo, coveredByPanels, isNarrow } from "./framing";
import { type Corner, type Drawing, listenToGestures } from "./gestures";
import { Grid } from "./grid";
import { SheetBudget, drawHighlight } from "./highlight";
import { layersOf } from "./layers";
import { Marks, thumbnailSize } from "./marks";
import { RegionLayer } from "./regionlayer";
import { NO_REGION } from "./regions";
import { CanvasPoints, type Points, createPoints } from "./points";
import { Sheets } from "./sheets";
import { pauses } from "./sorting";
import { NO_ITEM, type State } from "./state";
import { cutTiles, tileSize } from "./tiles";
import { Tooltip } from "./tooltip";

const REACH = 14; // pixels; a dot that is closer is under the pointer

export class Stage {
  readonly element = make("div", {
    class: "stage",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "map",
  });
  readonly camera = new Camera(() => {
    this.requestDraw();
    this.onView();
  });
  readonly marks: Marks;
  readonly sheets: Sheets;
  readonly regions: RegionLayer;
  accelerated = true;
  /** Called with a short message for the user. */
  onNotice: (text: string) => void = () => {};
  /** Called when the map goes on without WebGL. */
  onFallback: () => void = () => {};
  /** Called when the view has changed. */
  onView: () => void = () => {};
  /** Called when the room for the map has changed; `before` is the part of the map that was on the screen. */
  onResize: (before: Box) => void = () => {};
  /** Called with a region whose name was clicked. */
  onRegion: (region: number) => void = () => {};
  /** Called before a click that may be the first of a double click. */
  onFirstClick: () => void = () => {};
  /** Called with a function that undoes what the clicks have pinned which were a double click. */
  onDoubleClick: (undo: () => void) => void = (undo) => undo();
  /** Called when the view has come to rest. */
  onRest: () => void = () => {};
  /** Called when thumbnails and names have been drawn, also because more have been loaded. */
  onDecorate: () => void = () => {};
  /** Called when the item in focus has been drawn, to draw more on top. */
  onHighlight: (context: CanvasRenderingContext2D, item: number) => void = () => {};

  private points!: Points;
  private grid!: Grid;
  private drawing: Drawing | null = null; // of a lasso or a box
  private readonly base = make("canvas", { class: "layer" });
  private readonly top = make("canvas", { class: "layer foremost" });
  private readonly tooltip: Tooltip;
  private readonly outline = makeSvg("polygon");
  private readonly budget = new SheetBudget();
  private selected: ReadonlySet<number> | null = null;
  private tiled = false; // whether pictures are tiles, with dots below them
  private frame = 0;
  private decorating = 0;
  private rest = 0;
  private lost = 0; // contexts of WebGL
  private density = 0; // device pixels for each pixel, as the canvases have them
  private readonly end = new AbortController();
  private readonly observer = new ResizeObserver(() => this.resize());

  constructor(
    readonly content: Content,
    private readonly state: State,
    private readonly covered: (width: number, height: number) => Insets = coveredByPanels,
  ) {
    this.sheets = new Sheets(content, () => this.requestDecorations());
    this.marks = new Marks(content, this.sheets);
    this.tooltip = new Tooltip(content, this.sheets);
    this.regions = new RegionLayer(content, state);
    this.element.setAttribute("aria-label", `Map of ${content.about.domains.map((domain) => domain.name).join(" and ")}`);
  }

  async start(): Promise<void> {
    const { points, accelerated } = createPoints(this.content, () => this.replacePoints());
    this.points = points;
    this.accelerated = accelerated;
    points.canvas.className = "layer";
    const lasso = makeSvg("svg", { class: "outline", "aria-hidden": "true" }, this.outline);
    this.element.append(this.regions.shapes, points.canvas, this.base, this.regions.labels, this.top, lasso, this.tooltip.element);
    this.grid = new Grid(this.content);
    this.drawing = listenToGestures(this.element, this.camera, {
      mode: () => this.state.mode.value,
      hover: (px, py) => this.hover(this.regions.at(px, py), px, py),
      leave: () => {
        this.state.hovered.value = NO_ITEM;
        this.state.hoveredRegion.value = NO_REGION;
      },
      click: (px, py) => {
        const region = this.regions.at(px, py);
        if (region === NO_REGION) this.state.pinned.value = this.clicked(px, py);
        else this.onRegion(region);
      },
      zoomIn: (px, py, pinned) => {
        const named = this.regions.at(px, py) !== NO_REGION; // a region that was chosen stays so
        if (!named) this.onDoubleClick(() => (this.state.pinned.value = pinned));
        this.camera.zoom(2, px, py);
      },
      firstClick: () => {
        this.onFirstClick();
        return this.state.pinned.value;
      },
      outline: (corners) => this.drawOutline(corners),
      enclose: (corners, add) => this.enclose(corners, add),
    });
    const { hovered, pinned, selection, hidden, passing, dimming, colour, theme, mode } = this.state;
    hovered.on(() => this.drawTop());
    pinned.on(() => this.drawTop());
    selection.on((items) => {
      this.selected = items.length ? new Set(items) : null;
      this.applyShown();
    });
    for (const signal of [hidden, passing, dimming]) signal.on(() => this.applyShown());
    colour.on(() => this.recolour());
    theme.on(() => this.recolour());
    this.state.names.on((all) => {
      this.marks.allNames = all;
      this.requestDecorations();
    });
    this.state.regions.on(() => this.requestDecorations());
    this.state.region.on(() => this.requestDecorations());
    this.state.hoveredRegion.on((region) => {
      this.element.classList.toggle("over-region", region !== NO_REGION);
      this.requestDecorations();
    });
    mode.on((now) => (this.element.dataset.mode = now));
    this.element.dataset.mode = mode.value;
    this.resize();
    this.observer.observe(this.element);
    onDensityChange(() => this.resize(), this.end.signal);
    this.applyShown();
    this.recolour();
  }

  /** Show every picture as a tile, when what is needed first is there. */
  async showPictures(): Promise<void> {
    const { points } = this;
    const stopped = () => this.end.signal.aborted || points !== this.points;
    this.tiled = points.putTile !== null;
    if (points.putTile) {
      const put = points.putTile.bind(points);
      const frame = pauses(8);
      const pause = async () => {
        this.requestDraw();
        await frame();
      };
      await cutTiles(this.content, points.tileSide, put, pause, stopped);
    }
    if (!stopped()) this.element.dataset.tiles = this.tiled ? "all" : "none";
  }

  /** Go on when the browser has taken WebGL away: with a new context, but only once, and then without. */
  private replacePoints(): void {
    const before = this.points;
    const again = this.lost++ ? null : createPoints(this.content, () => this.replacePoints());
    this.points = again?.points ?? new CanvasPoints(this.content);
    this.accelerated = again?.accelerated ?? false;
    this.points.canvas.className = "layer";
    before.canvas.replaceWith(this.points.canvas);
    before.destroy();
    this.points.resize(this.camera.width, this.camera.height, this.density);
    this.applyShown();
    this.recolour();
    if (!this.accelerated) this.onFallback();
    void this.showPictures();
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

  /** Whether an item can be pointed at, selected and found: its kind is not hidden, and it passes all filters. */
  isShown = (item: number): boolean => {
    const { hidden, passing } = this.state;
    return !hidden.value.has(this.content.domainOf[item]) && (passing.value === null || passing.value[item] === 1);
  };

  /** The name of a region is before what is behind it. */
  private hover(region: number, px: number, py: number): void {
    this.state.hoveredRegion.value = region;
    this.state.hovered.value = region === NO_REGION ? this.itemAt(px, py) : NO_ITEM;
  }

  itemAt(px: number, py: number): number {
    const marked = this.marks.at(px, py);
    if (marked !== NO_ITEM) return marked;
    const { camera } = this;
    const nearest = (reach: number, accept: (item: number) => boolean) =>
      this.grid.nearest(camera.mapX(px), camera.mapY(py), reach / camera.k, accept);
    if (this.tiled) {
      const picture = nearest(tileSize(this.content, camera) / 2, (item) => !!this.content.domain(item).about.thumbnails && this.isShown(item));
      if (picture !== NO_ITEM) return picture;
    }
    return nearest(REACH, this.isShown);
  }

  /** The item at a click; another click there gets the next item at the same place, or of the same flower. */
  private clicked(px: number, py: number): number {
    const found = this.itemAt(px, py);
    const { x, y, sharing } = this.content;
    if (found === NO_ITEM || this.state.pinned.value === NO_ITEM) return found;
    const reach = (sharing[found]! > 1 ? REACH : 1) / this.camera.k;
    const same = this.grid.around(x[found], y[found], reach, this.isShown);
    const at = same.indexOf(this.state.pinned.value);
    return at < 0 ? found : same[(at + 1) % same.length];
  }

  /** The item nearest to the middle of the screen, for use by keyboard. */
  itemInMiddle(): number {
    const { camera } = this;
    return this.grid.nearest(camera.x, camera.y, Math.min(camera.width, camera.height) / 3 / camera.k, this.isShown);
  }

  /** The items nearest to an item on the map, of those that are shown, nearest first. */
  nearestTo(item: number, count: number): number[] {
    return this.grid.nearestTo(item, count, this.isShown);
  }

  /** Whether a lasso or a box is being drawn. */
  get isDrawing(): boolean {
    return this.drawing?.active ?? false;
  }

  /** Give up the lasso or box that is being drawn; false where there is none. */
  cancelDrawing(): boolean {
    return this.drawing?.cancel() ?? false;
  }

  /** Fly to an item, close enough to see it with some of its neighbours. */
  flyTo(item: number): void {
    this.camera.fly(closeTo(this, item, this.state.table.value.open));
  }

  flyAround(items: readonly number[]): void {
    if (items.length) this.camera.fly(this.camera.around(boxAround(this.content, items), this.camera.whole.k * 64));
  }

  private enclose(corners: Corner[], add: boolean): void {
    const { camera } = this;
    const polygon = corners.map(([px, py]): Corner => [camera.mapX(px), camera.mapY(py)]);
    const found = this.grid.inside(polygon, this.isShown);
    this.state.selection.value = add ? [...new Set([...this.state.selection.value, ...found])].sort((a, b) => a - b) : found;
    this.state.mode.value = "pan";
    if (!found.length) this.onNotice("No items inside");
  }

  private recolour(): void {
    const { theme, colour } = this.state;
    const colouring = colouringOf(this.content, colour.value, theme.value);
    this.marks.colouring = colour.value ? colouring : null;
    this.points.colour(colouring, theme.value, !!colour.value);
    this.requestDraw();
  }

  private applyShown(): void {
    const { hidden, passing, dimming } = this.state;
    this.marks.passing = passing.value;
    this.points.show(layersOf(this.content, { hidden: hidden.value, passing: passing.value, dimming: dimming.value, selected: this.selected }));
    this.requestDraw();
  }

  /** Take the room that there is. */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const same = width === this.camera.width && height === this.camera.height && this.density === devicePixelRatio;
    if (!width || !height || !this.points || same) return;
    const before = this.camera.box();
    this.element.toggleAttribute("data-narrow", isNarrow(width));
    this.density = devicePixelRatio;
    this.regions.resize();
    for (const canvas of [this.base, this.top]) {
      canvas.width = Math.round(width * this.density);
      canvas.height = Math.round(height * this.density);
    }
    this.points.resize(width, height, this.density);
    this.camera.resize(width, height, this.covered(width, height));
    this.onResize(before);
  }

  private cleared(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const context = canvas.getContext("2d")!;
    context.setTransform(this.density, 0, 0, this.density, 0, 0);
    context.clearRect(0, 0, this.camera.width, this.camera.height);
    context.imageSmoothingQuality = "high";
    return context;
  }

  private drawBase(): void {
    const names = this.regions.draw(this.camera);
    const isSaid = (name: string) => this.regions.says(name);
    this.marks.draw(this.cleared(this.base), this.camera, this.state.theme.value, this.isVisible, this.selected, names, isSaid);
    this.element.dataset.regions = String(names.length);
    this.element.dataset.thumbnails = String(this.marks.shown.thumbnails.length);
    this.element.dataset.names = String(this.marks.shown.names.length);
    this.onDecorate();
  }

  private drawTop(): void {
    const focus = this.state.focus;
    const { pinned } = this.state;
    const isPinned = focus !== NO_ITEM && focus === pinned.value && this.isVisible(this.content.domain(focus));
    const highlighting = isPinned || (focus !== NO_ITEM && this.isShown(focus)); // what is pinned stays, whatever the filters
    this.top.hidden = !highlighting; // an empty layer takes time, and some browsers show what was on it before
    this.element.classList.toggle("highlighting", highlighting);
    this.element.classList.toggle("hovering", highlighting && focus === this.state.hovered.value);
    if (highlighting) {
      const context = this.cleared(this.top);
      drawHighlight(context, this, this.state.theme.value, focus, this.isShown, this.budget);
      this.onHighlight(context, focus);
    }
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
    this.end.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.decorating);
    clearTimeout(this.rest);
    this.camera.stop();
    this.points?.destroy();
    this.sheets.destroy();
  }
}
