// Two maps side by side, in one page: the same program twice, linked, and a list of what moved most.

import type { View } from "./camera";
import { ComparePanel } from "./comparepanel";
import { type About, Content, decompress } from "./content";
import { button, make } from "./dom";
import { plural, singleLine } from "./format";
import { closeTo } from "./framing";
import { ICONS } from "./icons";
import { legend } from "./legend";
import { type Matches, bothWays, linkStates, sameView } from "./linking";
import { NO_WEBGL } from "./points";
import { RegionSelection } from "./regionselection";
import { searchBox } from "./searchbox";
import { pageSource } from "./sources";
import { Stage } from "./stage";
import { NO_ITEM, State } from "./state";
import { THEMES } from "./themes";

export interface CompareAbout {
  title: string;
  theme: "auto" | "light" | "dark";
  source: "page";
  maps: [About, About];
  neighbours: number; // how many nearest items are the neighbours of an item
}

/** What became of the items of the first map in the second. */
export interface Compared {
  matches: Matches;
  moved: Float32Array; // in radii of the map; NaN where an item is in one map only
  kept: Uint32Array; // number of neighbours
  neighbours: number;
}

const STEP = 90; // pixels; of an arrow key
const FILLED = 0.92; // share of a map's place that both take at first
const GHOST = { light: "#c2410c", dark: "#ffa46b" };

export class Comparison {
  readonly states: [State, State];
  readonly stages: [Stage, Stage];
  private readonly liveRegion = make("div", { class: "visually-hidden", "aria-live": "polite" });
  private linked = true; // views
  private following = false;
  private whole: View[] = []; // of both maps, as long as they are shown whole
  private readonly end = new AbortController(); // removes listeners outside the maps together with them
  private hasOwnTheme = false;

  private constructor(
    readonly root: HTMLElement,
    readonly about: CompareAbout,
    readonly contents: [Content, Content],
    readonly compared: Compared,
  ) {
    const preferred = matchMedia("(prefers-color-scheme: dark)");
    const dark = about.theme === "auto" ? preferred.matches : about.theme === "dark";
    this.states = [new State(dark ? "dark" : "light"), new State(dark ? "dark" : "light")];
    const follow = (now: MediaQueryListEvent) => this.hasOwnTheme || (this.state.theme.value = THEMES[now.matches ? "dark" : "light"]);
    if (about.theme === "auto") preferred.addEventListener("change", follow, { signal: this.end.signal });
    const bare = () => ({ left: 0, right: 0, top: 34, bottom: 0 }); // below the name of the map
    this.stages = [new Stage(contents[0], this.states[0], bare), new Stage(contents[1], this.states[1], bare)];
  }

  static async open(root: HTMLElement, about: CompareAbout): Promise<Comparison> {
    const open = (number: 0 | 1) =>
      Content.open({ ...about.maps[number], theme: about.theme, source: about.source }, pageSource(`${number}-`));
    const contents: [Content, Content] = [await open(0), await open(1)];
    await Promise.all(contents.map((content) => content.complete()));
    const bytes = await decompress(pageSource(), "compared");
    const { count } = contents[0];
    const matches = bothWays(new Int32Array(bytes, 0, count), contents[1].count);
    const [moved, kept] = [new Float32Array(bytes, 4 * count, count), new Uint32Array(bytes, 8 * count, count)];
    return new Comparison(root, about, contents, { matches, moved, kept, neighbours: about.neighbours });
  }

  /** The first map's, for scripts and tests that know maps. */
  get state(): State {
    return this.states[0];
  }

  get stage(): Stage {
    return this.stages[0];
  }

  async start(): Promise<void> {
    const { root, stages, states, contents } = this;
    root.dataset.theme = this.state.theme.value.name;
    this.state.theme.on((theme) => (root.dataset.theme = theme.name));
    linkStates(states, contents, this.compared.matches);
    const panes = stages.map((stage, number) => {
      stage.element.setAttribute("aria-label", `Map ${number + 1} of 2: ${singleLine(contents[number].about.title)}`);
      const caption = make("h2", {}, singleLine(contents[number].about.title), make("span", { class: "count" }, plural(contents[number].count, "item")));
      return make("section", { class: "pane" }, stage.element, caption);
    });
    const panel = new ComparePanel(this, (map, item) => this.go(map, item));
    // the larger map has all items of which a smaller one is a part, as before and after an update
    const main = contents[0].count > contents[1].count ? 0 : 1;
    const search = searchBox(contents[main], states[main], (item) => this.go(main, item), () => stages[main].element.focus({ preventScroll: true }));
    const head = make("div", { class: "bar" }, make("h1", {}, singleLine(this.about.title)), search);
    const side = make("div", { class: "side" }, head, this.toolbar(), panel.element, legend(contents[main], states[main]));
    root.replaceChildren(make("div", { class: "compare" }, side, ...panes), this.liveRegion);
    stages.forEach((stage, number) => {
      stage.onDecorate = () => panel.paint();
      stage.onView = () => this.follow(number as 0 | 1);
      stage.onResize = () => this.whole.length && this.showWhole();
      stage.onHighlight = (context, item) => this.drawGhost(context, number as 0 | 1, item);
      stage.onNotice = (text) => this.announce(text);
      const selection = new RegionSelection(contents[number], states[number]);
      stage.onRegion = (region) => selection.choose(region);
    });
    const warn = () => root.querySelector(".warning") ?? root.append(make("p", { class: "warning", role: "status" }, NO_WEBGL));
    for (const stage of stages) stage.onFallback = warn;
    await Promise.all(stages.map((stage) => stage.start()));
    if (this.end.signal.aborted) return;
    if (stages.some((stage) => !stage.accelerated)) warn();
    this.state.pinned.on((item) => item !== NO_ITEM && this.announce(contents[0].name(item)));
    this.listen();
    this.showWhole();
    stages.forEach((stage) => stage.requestDecorations());
    root.dataset.ready = "all";
    for (const stage of stages) void stage.showPictures();
  }

  /** Pin an item of one of the maps, and bring it into view in both. */
  go(map: 0 | 1, item: number): void {
    const state = this.states[map];
    state.hovered.value = NO_ITEM;
    const hidden = new Set(state.hidden.value);
    if (hidden.delete(this.contents[map].domainOf[item])) state.hidden.value = hidden;
    state.pinned.value = item;
    const { there, back } = this.compared.matches;
    const other = (map === 0 ? there : back)[item];
    const stage = this.stages[map];
    if (!this.linked || other === NO_ITEM) {
      stage.flyTo(item);
      if (other !== NO_ITEM) this.stages[1 - map].flyTo(other);
      return;
    }
    const { x, y } = stage.content; // as near as both places can be seen from
    const place = this.placeInOther(map, other);
    const box = { x0: Math.min(x[item], place.x), x1: Math.max(x[item], place.x), y0: Math.min(y[item], place.y), y1: Math.max(y[item], place.y) };
    stage.camera.fly(stage.camera.around(box, closeTo(stage, item, false).k));
  }

  /** Where an item of the other map is, in the coordinates of this one. */
  private placeInOther(map: 0 | 1, other: number): View {
    const [here, elsewhere] = [this.contents[map], this.contents[1 - map]];
    return sameView({ x: elsewhere.x[other], y: elsewhere.y[other], k: 1 }, elsewhere, here);
  }

  announce(text: string): void {
    this.liveRegion.textContent = text;
  }

  /** Show all of both maps at the same scale. */
  showWhole(): void {
    const [one, other] = this.contents.map(({ about: { centre, reach } }) => ({ centre, reach }));
    const ends = [0, 1].map((axis) => [
      Math.min(one.centre[axis] - one.reach, other.centre[axis] - other.reach),
      Math.max(one.centre[axis] + one.reach, other.centre[axis] + other.reach),
    ]);
    const extent = Math.max(ends[0][1] - ends[0][0], ends[1][1] - ends[1][0]);
    const room = Math.min(...this.stages.flatMap(({ camera: { width, height } }) => [width, height - 34]));
    this.stages.forEach((stage, number) => {
      const { centre, reach } = [one, other][number];
      const [x, y] = ends.map(([low, high], axis) => ((low + high) / 2 - centre[axis]) / reach);
      const k = (FILLED * room * reach) / extent;
      this.following = true; // each for itself
      stage.camera.look({ x, y: y + 17 / k, k });
      this.following = false;
    });
    this.whole = this.stages.map((stage) => stage.camera.view);
  }

  /** Let the other map show the same part, after one has moved. */
  private follow(moved: 0 | 1): void {
    if (this.following) return;
    const [view, whole] = [this.stages[moved].camera.view, this.whole[moved]];
    if (whole && (view.x !== whole.x || view.y !== whole.y || view.k !== whole.k)) this.whole = [];
    if (!this.linked) return;
    this.following = true;
    const [from, to] = [this.stages[moved], this.stages[1 - moved]];
    to.camera.look(sameView(from.camera.view, from.content, to.content));
    this.following = false;
  }

  /** Draw where the item in focus is in the other map, and a line from there. */
  private drawGhost(context: CanvasRenderingContext2D, map: 0 | 1, item: number): void {
    const { there, back } = this.compared.matches;
    const other = (map === 0 ? there : back)[item];
    if (other === NO_ITEM) return;
    const here = this.contents[map];
    const { camera } = this.stages[map];
    const place = this.placeInOther(map, other);
    const [x, y] = [camera.screenX(place.x), camera.screenY(place.y)];
    context.save();
    context.strokeStyle = GHOST[this.state.theme.value.name];
    context.lineWidth = 2;
    context.setLineDash([7, 5]);
    context.beginPath();
    context.moveTo(camera.screenX(here.x[item]), camera.screenY(here.y[item]));
    context.lineTo(x, y);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.arc(x, y, 7, 0, 2 * Math.PI);
    context.stroke();
    context.restore();
  }

  private toolbar(): HTMLElement {
    const link = make("button", { type: "button", "aria-pressed": "true", title: "Move and zoom both maps together" }, "Move as one");
    link.addEventListener("click", () => {
      this.linked = !this.linked;
      link.setAttribute("aria-pressed", String(this.linked));
      if (this.linked) this.follow(0);
    });
    const lasso = button("Select with a lasso", ICONS.lasso, () => this.toggleLasso(), { "aria-pressed": "false" });
    this.state.mode.on((mode) => lasso.setAttribute("aria-pressed", String(mode === "lasso")));
    return make(
      "div",
      { class: "actions", role: "toolbar", "aria-label": "View" },
      button("Zoom in", ICONS.plus, () => this.zoom(1.8)),
      button("Zoom out", ICONS.minus, () => this.zoom(1 / 1.8)),
      button("Show both maps whole", ICONS.whole, () => this.showWhole()),
      lasso,
      button("Switch between light and dark", ICONS.light, () => this.switchTheme()),
      link,
    );
  }

  private zoom(factor: number): void {
    this.stage.camera.zoom(factor);
    if (!this.linked) this.stages[1].camera.zoom(factor);
  }

  private toggleLasso(): void {
    this.state.mode.value = this.state.mode.value === "lasso" ? "pan" : "lasso";
  }

  switchTheme(): void {
    this.hasOwnTheme = true;
    this.state.theme.value = THEMES[this.state.theme.value.name === "dark" ? "light" : "dark"];
  }

  /** Close one thing that is open, in both maps: an item may be in one of them only. */
  private escape(): void {
    const pinned = this.states.some((state) => state.pinned.value !== NO_ITEM);
    const drawing = this.stages.filter((stage) => stage.cancelDrawing()).length > 0;
    if (this.state.mode.value !== "pan") this.state.mode.value = "pan";
    else if (drawing) return;
    else for (const state of this.states) pinned ? (state.pinned.value = NO_ITEM) : (state.selection.value = []);
    for (const state of this.states) state.hovered.value = NO_ITEM;
  }

  private listen(): void {
    const acts: Record<string, () => void> = {
      "+": () => this.zoom(1.5),
      "=": () => this.zoom(1.5),
      "-": () => this.zoom(1 / 1.5),
      "0": () => this.showWhole(),
      "/": () => this.root.querySelector<HTMLInputElement>(".search input")?.focus(),
      d: () => this.switchTheme(),
      l: () => this.toggleLasso(),
      Escape: () => this.escape(),
      ArrowLeft: () => this.pan(STEP, 0),
      ArrowRight: () => this.pan(-STEP, 0),
      ArrowUp: () => this.pan(0, STEP),
      ArrowDown: () => this.pan(0, -STEP),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if ((target instanceof HTMLInputElement && target.type === "search") || target instanceof HTMLSelectElement) return;
      const onMap = this.stages.findIndex((stage) => stage.element === target);
      if (onMap >= 0 && event.key === "Enter") {
        this.states[onMap].pinned.value = this.stages[onMap].itemInMiddle();
        event.preventDefault();
        return;
      }
      const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act || (event.key.startsWith("Arrow") && onMap < 0 && target !== document.body)) return;
      this.root.toggleAttribute("data-keyed", true);
      event.preventDefault();
      act();
    }, { signal: this.end.signal });
    this.root.addEventListener("pointerdown", () => this.root.toggleAttribute("data-keyed", false));
  }

  private pan(dx: number, dy: number): void {
    this.stage.camera.pan(dx, dy);
    if (!this.linked) this.stages[1].camera.pan(dx, dy);
  }

  destroy(): void {
    this.end.abort();
    for (const stage of this.stages) stage.destroy();
    this.root.replaceChildren();
  }
}
