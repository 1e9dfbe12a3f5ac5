// A map with its controls and panels, inside one element.

import { formatAddress, parseAddress } from "./address";
import type { Content } from "./content";
import { button, make, uniqueId } from "./dom";
import { plural, singleLine } from "./format";
import { Help } from "./help";
import { ICONS } from "./icons";
import { Information } from "./information";
import { listenToKeys } from "./keys";
import { legend } from "./legend";
import { Panel } from "./panel";
import { searchBox } from "./searchbox";
import { Stage } from "./stage";
import { NO_ITEM, State } from "./state";
import { THEMES } from "./themes";

const CLEARANCE = 30; // pixels between an item and the panel about it
const NO_WEBGL = "WebGL is not available in this browser, so the map is drawn in a simpler, slower way.";

export class App {
  readonly state: State;
  readonly stage: Stage;
  private readonly help = new Help();
  private readonly liveRegion = make("div", { class: "visually-hidden", "aria-live": "polite" });
  private readonly information: Information;
  private panel!: Panel;
  private restoring = false;
  /** Whether the page's address is the map's to change; a notebook's is not, and a frame has none that is seen. */
  private readonly ownsAddress: boolean;
  private readonly end = new AbortController();
  private readonly untilDestroyed = { signal: this.end.signal }; // removes listeners outside the map together with it

  constructor(
    readonly root: HTMLElement,
    readonly content: Content,
  ) {
    const { theme, source } = content.about;
    this.ownsAddress = source !== "notebook" && window.parent === window;
    const preferred = matchMedia("(prefers-color-scheme: dark)");
    const dark = theme === "auto" ? preferred.matches : theme === "dark";
    this.state = new State(dark ? "dark" : "light");
    if (theme === "auto") {
      preferred.addEventListener("change", (now) => (this.state.theme.value = THEMES[now.matches ? "dark" : "light"]), this.untilDestroyed);
    }
    this.stage = new Stage(content, this.state);
    this.information = new Information(content);
  }

  async start(): Promise<void> {
    const { root, state, stage, content } = this;
    root.dataset.theme = state.theme.value.name;
    root.dataset.source = content.about.source;
    state.theme.on((theme) => (root.dataset.theme = theme.name));
    const keysHelp = uniqueId("keys");
    stage.element.setAttribute("aria-describedby", keysHelp);
    root.replaceChildren(
      stage.element,
      this.liveRegion,
      make("p", { class: "visually-hidden", id: keysHelp }, "Arrow keys move, plus and minus zoom, Enter pins the item in the middle, slash searches, question mark shows help."),
    );
    await stage.start();
    if (this.end.signal.aborted) return;
    root.dataset.ready = "points";
    await content.complete();
    if (this.end.signal.aborted) return;
    this.addControls();
    this.restoreFromAddress();
    stage.requestDecorations();
    root.dataset.ready = "all";
  }

  private addControls(): void {
    const { root, state, stage, content } = this;
    const go = (item: number) => this.go(item);
    this.panel = new Panel(content, state, stage, go, this.ownsAddress ? () => void this.copyLink() : null);
    const toMap = () => stage.element.focus({ preventScroll: true });
    const bar = make("div", { class: "bar" }, make("h1", {}, singleLine(content.about.title)), searchBox(content, state, go, toMap));
    root.append(bar, legend(content, state), this.toolbar(), this.panel.element, this.help.element, this.information.element);
    stage.onFallback = () => root.append(make("p", { class: "warning", role: "status" }, NO_WEBGL));
    if (!stage.accelerated) stage.onFallback();
    state.pinned.on((item) => {
      this.recordPin(item);
      if (item !== NO_ITEM && !this.restoring) this.uncover(item);
    });
    stage.onNotice = (text) => this.flash(text);
    state.selection.on((items) => {
      this.liveRegion.textContent = items.length ? `${plural(items.length, "item")} selected` : "Nothing selected";
    });
    state.hidden.on(() => this.updateAddress(false));
    state.colour.on(() => this.updateAddress(false));
    stage.onRest = () => this.updateAddress(false);
    stage.onDecorate = () => this.panel.paint();
    listenToKeys(root, this);
    if (this.ownsAddress) addEventListener("popstate", () => this.restoreFromAddress(), this.untilDestroyed);
  }

  private toolbar(): HTMLElement {
    const { camera } = this.stage;
    const { mode } = this.state;
    const lasso = button("Select with a lasso", ICONS.lasso, () => this.toggleDrawing("lasso"), { "aria-pressed": "false" });
    const box = button("Select with a box", ICONS.box, () => this.toggleDrawing("box"), { "aria-pressed": "false" });
    mode.on((now) => {
      lasso.setAttribute("aria-pressed", String(now === "lasso"));
      box.setAttribute("aria-pressed", String(now === "box"));
    });
    return make(
      "div",
      { class: "controls", role: "toolbar", "aria-label": "View", "aria-orientation": "vertical" },
      button("Zoom in", ICONS.plus, () => camera.fly({ ...camera.aim, k: camera.aim.k * 1.8 })),
      button("Zoom out", ICONS.minus, () => camera.fly({ ...camera.aim, k: camera.aim.k / 1.8 })),
      button("Show the whole map", ICONS.whole, () => camera.fly(camera.whole)),
      lasso,
      box,
      button("Switch between light and dark", ICONS.light, () => this.switchTheme()),
      button("About this map", ICONS.information, () => this.information.toggle()),
      button("Help", ICONS.help, () => this.help.toggle()),
    );
  }

  /** Pin an item and fly to it. */
  go(item: number): void {
    this.state.hovered.value = NO_ITEM;
    const hidden = new Set(this.state.hidden.value);
    if (hidden.delete(this.content.domainOf[item])) this.state.hidden.value = hidden;
    this.stage.flyTo(item); // before it is pinned, so that the entry in the history has the destination
    this.state.pinned.value = item;
  }

  toggleDrawing(mode: "lasso" | "box"): void {
    this.state.mode.value = this.state.mode.value === mode ? "pan" : mode;
  }

  switchTheme(): void {
    this.state.theme.value = THEMES[this.state.theme.value.name === "dark" ? "light" : "dark"];
  }

  toggleHelp(): void {
    this.help.toggle();
  }

  toggleInformation(): void {
    this.information.toggle();
  }

  /** Whether Escape has nothing left to close. */
  get idle(): boolean {
    const { mode, pinned, selection } = this.state;
    return mode.value === "pan" && pinned.value === NO_ITEM && selection.value.length === 0 && !this.root.querySelector("dialog[open]");
  }

  /** Close one thing that is open. */
  escape(): void {
    const { state } = this;
    if (state.mode.value !== "pan") state.mode.value = "pan";
    else if (state.pinned.value !== NO_ITEM) state.pinned.value = NO_ITEM;
    else state.selection.value = [];
    state.hovered.value = NO_ITEM;
  }

  announce(text: string): void {
    this.liveRegion.textContent = text;
  }

  /** Move the map if the panel covers the item that it is about. */
  private uncover(item: number): void {
    const { camera, element } = this.stage;
    const aim = camera.aim;
    const [panel, map] = [this.panel.element.getBoundingClientRect(), element.getBoundingClientRect()];
    const x = camera.width / 2 + (this.content.x[item] - aim.x) * aim.k;
    const y = camera.height / 2 - (this.content.y[item] - aim.y) * aim.k;
    const [left, top] = [panel.left - map.left - CLEARANCE, panel.top - map.top - CLEARANCE];
    if (x < left || x > left + panel.width + 2 * CLEARANCE || y < top || y > top + panel.height + 2 * CLEARANCE) return;
    if (panel.width > camera.width / 2) camera.fly({ ...aim, y: aim.y - (y - top) / aim.k });
    else camera.fly({ ...aim, x: aim.x + (x - left) / aim.k });
  }

  private recordPin(item: number): void {
    if (item !== NO_ITEM) {
      const links = this.content.hasLinks ? `, ${plural(this.content.links.degree(item), "link")}` : "";
      this.announce(this.content.name(item) + links);
    }
    this.updateAddress(item !== NO_ITEM);
  }

  private get hash(): string {
    return `#${formatAddress(this.content, this.state, this.stage.camera.aim, this.stage.camera.whole)}`;
  }

  /** Put the view into the address, as a new entry in the history or in place of the current one. */
  private updateAddress(newEntry: boolean): void {
    if (this.restoring || !this.ownsAddress) return;
    try {
      if (newEntry) history.pushState(null, "", this.hash);
      else history.replaceState(null, "", this.hash);
    } catch {
      // browsers limit how often the address may change; the map works without
    }
  }

  private restoreFromAddress(): void {
    if (!this.ownsAddress) return;
    const { state, stage } = this;
    const saved = parseAddress(this.content, location.hash, stage.camera.whole);
    this.restoring = true;
    state.hidden.value = saved.hidden;
    state.colour.value = saved.colour || (location.hash ? "" : this.content.about.colour ?? "");
    state.pinned.value = saved.pinned;
    if (saved.view) stage.camera.look(saved.view);
    else if (saved.pinned !== NO_ITEM) stage.flyTo(saved.pinned);
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
      this.updateAddress(false);
      this.flash("Copying failed: the link is in the address bar");
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
