// A map with everything around it, inside one element.

import { read, written } from "./address";
import type { Content } from "./content";
import { button, inLine, make, plural, unique } from "./dom";
import { Help } from "./help";
import { ICONS } from "./icons";
import { keys } from "./keys";
import { legend } from "./legend";
import { Panel } from "./panel";
import { searchBox } from "./search";
import { Stage } from "./stage";
import { NOTHING, State } from "./state";
import { THEMES } from "./themes";

const CLEAR = 30; // pixels between an item and the panel about it
const SLOW = "Without WebGL, which this browser lacks or has taken away, the map is drawn in a simpler, slower way.";

export class App {
  readonly state: State;
  readonly stage: Stage;
  private readonly help = new Help();
  private readonly live = make("div", { class: "unseen", "aria-live": "polite" });
  private panel!: Panel;
  private restoring = false;
  /** Whether the address is the map's: a notebook has its own, and a frame has none. */
  private readonly addressed: boolean;
  private readonly end = new AbortController();
  private readonly gone = { signal: this.end.signal }; // listeners outside of the map end with it

  constructor(
    readonly root: HTMLElement,
    readonly content: Content,
  ) {
    const { theme, source } = content.about;
    this.addressed = source !== "notebook" && window.parent === window;
    const preferred = matchMedia("(prefers-color-scheme: dark)");
    const dark = theme === "auto" ? preferred.matches : theme === "dark";
    this.state = new State(dark ? "dark" : "light");
    if (theme === "auto") {
      preferred.addEventListener("change", (now) => (this.state.theme.value = THEMES[now.matches ? "dark" : "light"]), this.gone);
    }
    this.stage = new Stage(content, this.state);
  }

  async start(): Promise<void> {
    const { root, state, stage, content } = this;
    root.dataset.theme = state.theme.value.name;
    root.dataset.source = content.about.source;
    state.theme.on((theme) => (root.dataset.theme = theme.name));
    const keysHelp = unique("keys");
    stage.element.setAttribute("aria-describedby", keysHelp);
    root.replaceChildren(
      stage.element,
      this.live,
      make("p", { class: "unseen", id: keysHelp }, "Arrow keys move, plus and minus zoom, Enter pins what is in the middle, slash searches, question mark helps."),
    );
    await stage.start();
    if (this.end.signal.aborted) return;
    root.dataset.ready = "points";
    await content.complete();
    if (this.end.signal.aborted) return;
    this.furnish();
    this.restore();
    stage.redecorate();
    root.dataset.ready = "all";
  }

  private furnish(): void {
    const { root, state, stage, content } = this;
    const go = (item: number) => this.go(item);
    this.panel = new Panel(content, state, stage, go, this.addressed ? () => void this.copyLink() : null);
    const bar = make("div", { class: "bar" }, make("h1", {}, inLine(content.about.title)), searchBox(content, state, go));
    root.append(bar, legend(content, state), this.controls(), this.panel.element, this.help.element);
    stage.slowed = () => root.append(make("p", { class: "warning", role: "status" }, SLOW));
    if (!stage.accelerated) stage.slowed();
    state.pinned.on((item) => {
      this.remember(item);
      if (item !== NOTHING && !this.restoring) this.uncover(item);
    });
    stage.notice = (text) => this.flash(text);
    state.selection.on((items) => {
      this.live.textContent = items.length ? `${plural(items.length, "item")} selected` : "Nothing selected";
    });
    state.hidden.on(() => this.write(false));
    state.colour.on(() => this.write(false));
    stage.settled = () => this.write(false);
    stage.decorated = () => this.panel.paint();
    keys(root, this);
    if (this.addressed) addEventListener("popstate", () => this.restore(), this.gone);
  }

  private controls(): HTMLElement {
    const { camera } = this.stage;
    const { mode } = this.state;
    const lasso = button("Select with a lasso", ICONS.lasso, () => this.draw("lasso"), { "aria-pressed": "false" });
    const box = button("Select with a box", ICONS.box, () => this.draw("box"), { "aria-pressed": "false" });
    mode.on((now) => {
      lasso.setAttribute("aria-pressed", String(now === "lasso"));
      box.setAttribute("aria-pressed", String(now === "box"));
    });
    return make(
      "div",
      { class: "controls", role: "toolbar", "aria-label": "View", "aria-orientation": "vertical" },
      button("Zoom in", ICONS.plus, () => camera.fly({ ...camera.aim, k: camera.aim.k * 1.8 })),
      button("Zoom out", ICONS.minus, () => camera.fly({ ...camera.aim, k: camera.aim.k / 1.8 })),
      button("See the whole map", ICONS.whole, () => camera.fly(camera.whole)),
      lasso,
      box,
      button("Light or dark", ICONS.light, () => this.switchTheme()),
      button("Help", ICONS.help, () => this.help.toggle()),
    );
  }

  /** Pin an item and fly there. */
  go(item: number): void {
    this.state.hovered.value = NOTHING;
    const hidden = new Set(this.state.hidden.value);
    if (hidden.delete(this.content.domainOf[item])) this.state.hidden.value = hidden;
    this.stage.flyTo(item); // before it is pinned: the entry of the history is where the flight goes
    this.state.pinned.value = item;
  }

  draw(mode: "lasso" | "box"): void {
    this.state.mode.value = this.state.mode.value === mode ? "pan" : mode;
  }

  switchTheme(): void {
    this.state.theme.value = THEMES[this.state.theme.value.name === "dark" ? "light" : "dark"];
  }

  toggleHelp(): void {
    this.help.toggle();
  }

  /** Whether there is nothing to close. */
  get idle(): boolean {
    const { mode, pinned, selection } = this.state;
    return mode.value === "pan" && pinned.value === NOTHING && selection.value.length === 0 && !this.help.element.open;
  }

  /** Close what is open, one thing at a time. */
  escape(): void {
    const { state } = this;
    if (state.mode.value !== "pan") state.mode.value = "pan";
    else if (state.pinned.value !== NOTHING) state.pinned.value = NOTHING;
    else state.selection.value = [];
    state.hovered.value = NOTHING;
  }

  announce(text: string): void {
    this.live.textContent = text;
  }

  /** Move the map if the panel has opened over the item that it is about. */
  private uncover(item: number): void {
    const { camera, element } = this.stage;
    const aim = camera.aim;
    const [panel, map] = [this.panel.element.getBoundingClientRect(), element.getBoundingClientRect()];
    const x = camera.width / 2 + (this.content.x[item] - aim.x) * aim.k;
    const y = camera.height / 2 - (this.content.y[item] - aim.y) * aim.k;
    const [left, top] = [panel.left - map.left - CLEAR, panel.top - map.top - CLEAR];
    if (x < left || x > left + panel.width + 2 * CLEAR || y < top || y > top + panel.height + 2 * CLEAR) return;
    if (panel.width > camera.width / 2) camera.fly({ ...aim, y: aim.y - (y - top) / aim.k });
    else camera.fly({ ...aim, x: aim.x + (x - left) / aim.k });
  }

  private remember(item: number): void {
    if (item !== NOTHING) this.announce(`${this.content.name(item)}, ${plural(this.content.links.degree(item), "link")}`);
    this.write(item !== NOTHING);
  }

  private get hash(): string {
    return `#${written(this.content, this.state, this.stage.camera.aim, this.stage.camera.whole)}`;
  }

  /** Put the view into the address: a new entry of the history for a pinned item, else in place of the last. */
  private write(entry: boolean): void {
    if (this.restoring || !this.addressed) return;
    try {
      if (entry) history.pushState(null, "", this.hash);
      else history.replaceState(null, "", this.hash);
    } catch {
      // browsers limit how often; the map works without
    }
  }

  private restore(): void {
    if (!this.addressed) return;
    const { state, stage } = this;
    const place = read(this.content, location.hash, stage.camera.whole);
    this.restoring = true;
    state.hidden.value = place.hidden;
    state.colour.value = place.colour;
    state.pinned.value = place.pinned;
    if (place.view) stage.camera.look(place.view);
    else if (place.pinned !== NOTHING) stage.flyTo(place.pinned);
    else stage.camera.look(stage.camera.whole);
    this.restoring = false;
  }

  private async copyLink(): Promise<void> {
    const link = `${location.href.split("#")[0]}${this.hash}`;
    try {
      await navigator.clipboard.writeText(link);
      this.announce("Link copied");
      this.flash("Link copied");
    } catch {
      this.write(false);
      this.flash("Copy it from the address bar");
    }
  }

  private flash(text: string): void {
    const note = make("div", { class: "flash" }, text);
    this.root.append(note);
    window.setTimeout(() => note.remove(), 2200);
  }

  destroy(): void {
    this.end.abort();
    this.stage.destroy();
    this.root.replaceChildren();
  }
}
