// A map with its controls and panels, inside one element.

import { formatAddress, parseAddress } from "./address";
import type { Content } from "./content";
import { Contents, aboutRegion } from "./contents";
import { leaveRoomFor } from "./crowding";
import { button, make, toggleButton, uniqueId } from "./dom";
import { Filtering } from "./filtering";
import { FilterPanel } from "./filterpanel";
import { plural, singleLine } from "./format";
import { keepInView, uncover, viewOfRegion } from "./framing";
import { Help } from "./help";
import { ICONS } from "./icons";
import { Information } from "./information";
import { listenToKeys } from "./keys";
import { legend } from "./legend";
import { PageHistory } from "./pagehistory";
import { Panel } from "./panel";
import { NO_WEBGL } from "./points";
import { NO_REGION } from "./regions";
import { RegionSelection } from "./regionselection";
import { searchBox } from "./searchbox";
import { Stage } from "./stage";
import { NO_ITEM, State } from "./state";
import { TableView } from "./tableview";
import { THEMES } from "./themes";
import { Whereabouts } from "./whereabouts";

export class App {
  readonly state: State;
  readonly stage: Stage;
  private readonly help = new Help();
  private readonly liveRegion = make("div", { class: "visually-hidden", "aria-live": "polite" });
  private readonly information: Information;
  /** What is on and over the map; a table may be below it. */
  private readonly area = make("div", { class: "area" });
  private panel!: Panel;
  private contents: Contents | null = null;
  private table!: TableView;
  private filters: FilterPanel | null = null;
  private readonly filtering: Filtering;
  private readonly regionSelection: RegionSelection;
  private restoring = false; // changes that are not to be in the history
  private chosenTheme = false; // by the user, for this map
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
    this.information = new Information(content);
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
  }

  private addControls(): void {
    const { root, area, state, stage, content } = this;
    const go = (item: number) => this.go(item);
    this.panel = new Panel(content, state, stage, go, this.history ? () => void this.copyLink() : null);
    const toMap = () => stage.element.focus({ preventScroll: true });
    this.panel.aboutRegion = (region) => aboutRegion(content, region, (other) => this.goToRegion(other));
    if (content.regions.all.length) this.contents = new Contents(content, state, (region) => this.goToRegion(region), toMap);
    const flash = (text: string) => this.flash(text);
    this.table = new TableView(root, content, state, stage, { go, leave: toMap, flash, announce: (text) => this.announce(text) });
    const bar = make("div", { class: "bar" }, make("h1", {}, singleLine(content.about.title)), searchBox(content, state, go, toMap));
    if (content.domains.some((domain) => domain.columns.length)) this.filters = new FilterPanel(content, state, this.filtering, toMap);
    const kinds = legend(content, state, true);
    area.append(bar, kinds);
    const room = leaveRoomFor(kinds, area);
    this.end.signal.addEventListener("abort", () => room.disconnect());
    if (this.contents) area.append(this.contents.element);
    if (this.filters) area.append(this.filters.element, this.filters.note);
    const toolbar = this.toolbar();
    area.style.setProperty("--tools", String(toolbar.childElementCount));
    area.append(toolbar, this.panel.element, this.help.element, this.information.element);
    stage.onFallback = () => area.append(make("p", { class: "warning", role: "status" }, NO_WEBGL));
    if (!stage.accelerated) stage.onFallback();
    state.pinned.on((item) => {
      this.recordPin(item);
      if (item !== NO_ITEM && !this.restoring) uncover(content, stage, item, this.panel.element);
    });
    stage.onResize = (before) => {
      const { value: item } = state.pinned;
      if (item !== NO_ITEM && !this.restoring) keepInView(content, stage, item, this.panel.element, before);
    };
    stage.onNotice = flash;
    stage.onRegion = (region) => this.selectRegion(region);
    stage.onFirstClick = () => this.history?.onFirstClick();
    stage.onDoubleClick = (undo) => {
      this.silently(undo);
      this.history?.takeBack();
    };
    state.selection.on((items) => {
      const region = content.regions.all[state.region.value];
      this.liveRegion.textContent = items.length ? `${region ? `${region.name}: ` : ""}${plural(items.length, "item")} selected` : "Nothing selected";
    });
    state.hidden.on(() => this.updateAddress(false));
    state.colour.on(() => this.updateAddress(false));
    state.table.on(() => this.updateAddress(false));
    state.region.on((region) => region === NO_REGION && this.updateAddress(false));
    const whereabouts = new Whereabouts(content, stage, (region) => this.goToRegion(region));
    area.append(whereabouts.element);
    root.append(this.table.element);
    stage.onRest = () => {
      this.updateAddress(false);
      whereabouts.update();
      this.table.followView();
    };
    stage.onDecorate = () => {
      this.panel.paint();
      this.table.paint();
    };
    listenToKeys(root, this, this.end.signal);
  }

  private toolbar(): HTMLElement {
    const { camera } = this.stage;
    const { mode, contents, table } = this.state;
    return make(
      "div",
      { class: "controls", role: "toolbar", "aria-label": "View", "aria-orientation": "vertical" },
      button("Zoom in", ICONS.plus, () => camera.fly({ ...camera.aim, k: camera.aim.k * 1.8 })),
      button("Zoom out", ICONS.minus, () => camera.fly({ ...camera.aim, k: camera.aim.k / 1.8 })),
      button("Show the whole map", ICONS.whole, () => camera.fly(camera.whole)),
      this.contents && toggleButton("Contents", ICONS.contents, () => this.toggleContents(), contents, Boolean),
      this.filtersButton(),
      toggleButton("Table", ICONS.table, () => this.toggleTable(), table, ({ open }) => open),
      toggleButton("Select with a lasso", ICONS.lasso, () => this.toggleDrawing("lasso"), mode, (now) => now === "lasso"),
      toggleButton("Select with a box", ICONS.box, () => this.toggleDrawing("box"), mode, (now) => now === "box"),
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
    if (this.state.passing.value?.[item] === 0) this.flash(`${singleLine(this.content.name(item))} does not pass the filters`);
    this.stage.flyTo(item); // before it is pinned, so that the entry in the history has the destination
    this.state.pinned.value = item;
  }

  private filtersButton(): HTMLElement | null {
    if (!this.filters) return null;
    const made = button("Filters", ICONS.filters, () => this.toggleFilters(), { "aria-pressed": "false" });
    this.filters.onToggle = (open) => made.setAttribute("aria-pressed", String(open));
    this.state.contents.on((open) => open && this.filters?.open && this.filters.toggle());
    return made;
  }

  toggleFilters(): void {
    if (this.contents?.open) this.contents.toggle(); // both have the same place
    this.filters?.toggle();
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
    if (this.contents?.open && element.hasAttribute("data-narrow")) this.contents.toggle();
    camera.fly(viewOfRegion(this.content, this.stage, region, Boolean(this.contents?.open || this.filters?.open)));
    this.selectRegion(region);
  }

  toggleContents(): void {
    this.contents?.toggle();
  }

  toggleTable(): void {
    this.table.toggle();
  }

  toggleDrawing(mode: "lasso" | "box"): void {
    this.state.mode.value = this.state.mode.value === mode ? "pan" : mode;
  }

  switchTheme(): void {
    this.chosenTheme = true;
    this.state.theme.value = THEMES[this.state.theme.value.name === "dark" ? "light" : "dark"];
  }

  /** Be as light or dark as what is around the map, unless the user has chosen for the map itself. */
  followTheme(theme: "light" | "dark"): void {
    if (!this.chosenTheme) this.state.theme.value = THEMES[theme];
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
    return !this.stage.isDrawing && !this.contents?.open && !this.filters?.open && !this.table.open && mode.value === "pan" && pinned.value === NO_ITEM && selection.value.length === 0 && !this.root.querySelector("dialog[open]");
  }

  /** Close one thing that is open. */
  escape(): void {
    const { state } = this;
    const drawing = this.stage.cancelDrawing();
    if (state.mode.value !== "pan") state.mode.value = "pan";
    else if (drawing) return; // with Shift, which needs no mode
    else if (state.pinned.value !== NO_ITEM) state.pinned.value = NO_ITEM;
    else if (state.selection.value.length) state.selection.value = [];
    else if (this.contents?.open) this.contents.toggle();
    else if (this.table.open) this.table.toggle();
    else if (this.filters?.open) this.filters.toggle();
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
    if (!this.history || !this.panel) return; // nothing to restore yet
    const { state, stage } = this;
    this.restoring = true;
    this.filters?.stop(); // or it would go on from there
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
    else if (saved.region !== NO_REGION) stage.camera.look(viewOfRegion(this.content, stage, saved.region, Boolean(this.contents?.open || this.filters?.open)));
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
    this.area.append(note);
    window.setTimeout(() => note.remove(), 2200);
  }

  destroy(): void {
    this.end.abort();
    this.filters?.destroy();
    this.filtering.destroy();
    this.table?.destroy();
    this.panel?.destroy();
    this.stage.destroy();
    this.root.replaceChildren();
  }
}
