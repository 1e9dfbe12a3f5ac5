// A map with its controls and panels, inside one element.

import { formatAddress, parseAddress } from "./address";
import type { Content } from "./content";
import { button, make, toggleButton, uniqueId } from "./dom";
import { Filtering } from "./filtering";
import { plural, singleLine } from "./format";
import { keepInView, uncover, viewOfRegion } from "./framing";
import { ICONS } from "./icons";
import { listenToKeys } from "./keys";
import { leaveRoomFor, legend } from "./legend";
import { PageHistory } from "./pagehistory";
import { PANELS } from "./panels/index";
import type { Panel, PanelHost, PanelKind } from "./panels/panel";
import { NO_WEBGL } from "./points";
import { NO_REGION } from "./regions";
import { RegionSelection } from "./regionselection";
import { searchBox } from "./searchbox";
import { Stage } from "./stage";
import { NO_ITEM, State } from "./state";
import { THEMES } from "./themes";
import { Whereabouts } from "./whereabouts";

export class App implements PanelHost {
  readonly state: State;
  readonly stage: Stage;
  private readonly liveRegion = make("div", { class: "visually-hidden", "aria-live": "polite" });
  /** What is on and over the map; a table may be below it. */
  private readonly area = make("div", { class: "area" });
  readonly kinds = PANELS;
  private panels: { kind: PanelKind; panel: Panel }[] = []; // those that this map has
  readonly filtering: Filtering;
  private readonly regionSelection: RegionSelection;
  private restoring = false; // changes that are not to be in the history
  private hasOwnTheme = false; // which the user has chosen for this map
  /** Where the page's address is the map's to change; a notebook's is not, and a frame has none that is seen. */
  private readonly history: PageHistory | null;
  private readonly end = new AbortController();
  private readonly untilDestroyed = { signal: this.end.signal }; // removes listeners outside the map together with it

  constructor(
    readonly root: HTMLElement,
    readonly content: Content,
  ) {
    const { theme, source } = content.about;
    const ownsAddress = source !== "notebook" && window.parent === window;
    this.history = ownsAddress ? new PageHistory(() => this.hash, () => this.restoreFromAddress(), this.end.signal) : null;
    const preferred = matchMedia("(prefers-color-scheme: dark)");
    const dark = theme === "auto" ? preferred.matches : theme === "dark";
    this.state = new State(dark ? "dark" : "light");
    if (theme === "auto") {
      preferred.addEventListener("change", (now) => this.followTheme(now.matches ? "dark" : "light"), this.untilDestroyed);
    }
    this.regionSelection = new RegionSelection(content, this.state);
    this.stage = new Stage(content, this.state);
    this.filtering = new Filtering(content, this.state);
  }

  async start(): Promise<void> {
    const { root, area, state, stage, content } = this;
    root.dataset.theme = state.theme.value.name;
    root.dataset.source = content.about.source;
    state.theme.on((theme) => (root.dataset.theme = theme.name));
    const keysHelp = uniqueId("keys");
    stage.element.setAttribute("aria-describedby", keysHelp);
    area.append(
      stage.element,
      this.liveRegion,
      make("p", { class: "visually-hidden", id: keysHelp }, "Arrow keys move, plus and minus zoom, Enter pins the item in the middle, slash searches, question mark shows help."),
    );
    root.replaceChildren(area);
    await stage.start();
    if (this.end.signal.aborted) return;
    root.dataset.ready = "points";
    await content.complete();
    if (this.end.signal.aborted) return;
    this.addControls();
    this.restoreFromAddress();
    stage.requestDecorations();
    root.dataset.ready = "all";
    void stage.showPictures();
  }

  private addControls(): void {
    const { root, area, state, stage, content } = this;
    const bar = make("div", { class: "bar" }, make("h1", {}, singleLine(content.about.title)), searchBox(content, state, (item) => this.go(item), () => this.leave()));
    this.panels = PANELS.flatMap((kind) => {
      const panel = kind.make(this);
      return panel ? [{ kind, panel }] : [];
    });
    const kinds = legend(content, state, true);
    area.append(bar, kinds);
    const room = leaveRoomFor(kinds, area);
    this.end.signal.addEventListener("abort", () => room.disconnect());
    const toolbar = this.toolbar();
    area.style.setProperty("--tools", String(toolbar.childElementCount));
    const whereabouts = new Whereabouts(content, stage, (region) => this.goToRegion(region));
    area.append(...this.elements("left"), toolbar, ...this.elements("right"), ...this.elements("dialog"), whereabouts.element);
    root.append(...this.elements("below"));
    const details = this.panel("details")!.element;
    stage.onFallback = () => area.append(make("p", { class: "warning", role: "status" }, NO_WEBGL));
    if (!stage.accelerated) stage.onFallback();
    state.pinned.on((item) => {
      this.recordPin(item);
      if (item !== NO_ITEM && !this.restoring) uncover(content, stage, item, details);
    });
    stage.onResize = (before) => {
      const { value: item } = state.pinned;
      if (item !== NO_ITEM && !this.restoring) keepInView(content, stage, item, details, before);
    };
    stage.onNotice = (text) => this.flash(text);
    stage.onRegion = (region) => this.selectRegion(region);
    stage.onFirstClick = () => this.history?.onFirstClick();
    stage.onDoubleClick = (undo) => {
      this.silently(undo);
      this.history?.takeBack();
    };
    state.selection.on((items) => {
      const region = content.regions.all[state.region.value];
      this.announce(items.length ? `${region ? `${region.name}: ` : ""}${plural(items.length, "item")} selected` : "Nothing selected");
    });
    for (const signal of [state.hidden, state.colour, state.table]) signal.on(() => this.updateAddress(false));
    state.region.on((region) => region === NO_REGION && this.updateAddress(false));
    stage.onRest = () => {
      this.updateAddress(false);
      whereabouts.update();
      for (const { panel } of this.panels) panel.onRest?.();
    };
    stage.onDecorate = () => this.panels.forEach(({ panel }) => panel.paint?.());
    listenToKeys(root, this, this.end.signal);
  }

  private toolbar(): HTMLElement {
    const { camera } = this.stage;
    const { mode } = this.state;
    return make(
      "div",
      { class: "controls", role: "toolbar", "aria-label": "View", "aria-orientation": "vertical" },
      button("Zoom in", ICONS.plus, () => camera.fly({ ...camera.aim, k: camera.aim.k * 1.8 })),
      button("Zoom out", ICONS.minus, () => camera.fly({ ...camera.aim, k: camera.aim.k / 1.8 })),
      button("Show the whole map", ICONS.whole, () => camera.fly(camera.whole)),
      ...this.buttons("left"),
      ...this.buttons("below"),
      toggleButton("Select with a lasso", ICONS.lasso, () => this.toggleDrawing("lasso"), mode, (now) => now === "lasso"),
      toggleButton("Select with a box", ICONS.box, () => this.toggleDrawing("box"), mode, (now) => now === "box"),
      button("Switch between light and dark", ICONS.light, () => this.switchTheme()),
      ...this.buttons("dialog"),
    );
  }

  private inPlace(place: PanelKind["place"]): { kind: PanelKind; panel: Panel }[] {
    return this.panels.filter(({ kind }) => kind.place === place);
  }

  private elements(place: PanelKind["place"]): HTMLElement[] {
    return this.inPlace(place).flatMap(({ panel: { element, note } }) => (note ? [element, note] : [element]));
  }

  /** The buttons of the panels at a place; those of dialogs, which take the whole page, do not stay pressed. */
  private buttons(place: PanelKind["place"]): HTMLElement[] {
    return this.inPlace(place).flatMap(({ kind, panel }) => {
      if (!kind.button) return [];
      const made = button(kind.button.label, kind.button.icon, () => this.toggle(kind.name));
      if (place === "dialog") return [made];
      made.setAttribute("aria-pressed", String(panel.open));
      panel.onToggle = (open) => made.setAttribute("aria-pressed", String(open));
      return [made];
    });
  }

  /** A panel, where this map has it. */
  panel(name: string): Panel | undefined {
    return this.panels.find(({ kind }) => kind.name === name)?.panel;
  }

  /** Open a panel or close it; on the left there is room for one. */
  toggle(name: string): void {
    const panel = this.panel(name);
    const left = this.inPlace("left").map((each) => each.panel);
    if (panel && left.includes(panel)) for (const other of left) if (other !== panel && other.open) other.toggle();
    panel?.toggle();
  }

  /** Give the focus back to the map. */
  leave(): void {
    this.stage.element.focus({ preventScroll: true });
  }

  /** Pin an item and fly to it. */
  go(item: number): void {
    this.state.hovered.value = NO_ITEM;
    const hidden = new Set(this.state.hidden.value);
    if (hidden.delete(this.content.domainOf[item])) this.state.hidden.value = hidden;
    if (this.state.passing.value?.[item] === 0) this.flash(`${singleLine(this.content.name(item))} does not pass the filters`);
    this.stage.flyTo(item); // before it is pinned, so that the entry in the history has the destination
    this.state.pinned.value = item;
  }

  /** Select the items of a region, as a new entry in the history; the one before keeps the item that was pinned. */
  selectRegion(region: number): void {
    const { state } = this;
    if (region === state.region.value && state.pinned.value === NO_ITEM) return;
    let chosen = false;
    this.silently(() => (chosen = this.regionSelection.choose(region)));
    if (chosen) this.updateAddress(true);
    else this.flash(`Nothing in ${singleLine(this.content.regions.all[region].name)} passes the filters`);
  }

  /** Select a region and fly there. */
  goToRegion(region: number): void {
    const { camera, element } = this.stage;
    const contents = this.panel("contents");
    if (contents?.open && element.hasAttribute("data-narrow")) contents.toggle();
    camera.fly(viewOfRegion(this.content, this.stage, region, this.leftIsOpen));
    this.selectRegion(region);
  }

  private get leftIsOpen(): boolean {
    return this.inPlace("left").some(({ panel }) => panel.open);
  }

  toggleDrawing(mode: "lasso" | "box"): void {
    this.state.mode.value = this.state.mode.value === mode ? "pan" : mode;
  }

  switchTheme(): void {
    this.hasOwnTheme = true;
    this.state.theme.value = THEMES[this.state.theme.value.name === "dark" ? "light" : "dark"];
  }

  /** Be as light or dark as what is around the map, unless the user has chosen for the map itself. */
  followTheme(theme: "light" | "dark"): void {
    if (!this.hasOwnTheme) this.state.theme.value = THEMES[theme];
  }

  /** Whether Escape has nothing left to close. */
  get idle(): boolean {
    return !this.stage.isDrawing && this.state.mode.value === "pan" && !this.panels.some(({ panel }) => panel.open);
  }

  /** Close one thing that is open. */
  escape(): void {
    const { state } = this;
    const drawing = this.stage.cancelDrawing();
    if (state.mode.value !== "pan") state.mode.value = "pan";
    else if (drawing) return; // with Shift, which needs no mode
    else this.panels.find(({ panel }) => panel.open)?.panel.toggle();
    state.hovered.value = NO_ITEM;
  }

  announce(text: string): void {
    this.liveRegion.textContent = text;
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
    if (!this.restoring) this.history?.record(newEntry);
  }

  /** Change something without a word in the history. */
  private silently(change: () => void): void {
    this.restoring = true;
    change();
    this.restoring = false;
  }

  private restoreFromAddress(): void {
    if (!this.history || !this.panels.length) return; // nothing to restore yet
    const { state, stage } = this;
    this.restoring = true;
    for (const { panel } of this.panels) panel.stop?.();
    state.table.value = parseAddress(this.content, location.hash, stage.camera.whole).table;
    const saved = parseAddress(this.content, location.hash, stage.camera.whole); // beside the table
    state.hidden.value = saved.hidden;
    state.dimming.value = saved.dimming;
    state.filters.value = saved.filters;
    this.filtering.apply();
    state.colour.value = saved.colour || (location.hash ? "" : this.content.about.colour ?? "");
    if (saved.region === NO_REGION || !this.regionSelection.choose(saved.region)) this.regionSelection.clear();
    state.pinned.value = saved.pinned;
    if (saved.view) stage.camera.look(saved.view);
    else if (saved.pinned !== NO_ITEM) stage.flyTo(saved.pinned);
    else if (saved.region !== NO_REGION) stage.camera.look(viewOfRegion(this.content, stage, saved.region, this.leftIsOpen));
    else stage.camera.look(stage.camera.whole);
    this.restoring = false;
  }

  get copyLink(): (() => void) | null {
    return this.history && (() => void this.copyAddress());
  }

  private async copyAddress(): Promise<void> {
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

  /** Show a message for a moment. */
  flash(text: string): void {
    const note = make("div", { class: "flash" }, text);
    this.area.append(note);
    window.setTimeout(() => note.remove(), 2200);
  }

  destroy(): void {
    this.end.abort();
    for (const { panel } of this.panels) panel.destroy?.();
    this.filtering.destroy();
    this.stage.destroy();
    this.root.replaceChildren();
  }
}
