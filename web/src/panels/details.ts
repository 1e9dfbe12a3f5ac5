// The panel beside the map: the pinned item and its links, or the selection and what it has in common.

import type { Content, Domain } from "../content";
import { button, focusedIn, make, swatch } from "../dom";
import { type Enrichment, enrichment } from "../enrichment";
import { download, toCsv } from "../export";
import { formatCount, formatValue, plural, singleLine } from "../format";
import { sampleNote } from "../highlight";
import { ICONS } from "../icons";
import { ReasonView, placement } from "../reasonview";
import { NO_REGION } from "../regions";
import type { Stage } from "../stage";
import { NO_ITEM, type State } from "../state";
import { SuggestionView } from "../suggestionview";
import { domainColour } from "../themes";
import { shownValue } from "../values";
import { aboutRegion } from "./contents";
import type { Panel, PanelHost, PanelKind } from "./panel";

const FIRST_ITEMS = 60; // of a list that are shown at first
const MORE_ITEMS = 300; // shown by each click on "Show more"
const PREVIEW = 160; // pixels of the pinned item's thumbnail
const SETTLED = 200; // milliseconds after the last change of the filters
const SMALL = 44; // pixels of a thumbnail in a list

class Details implements Panel {
  readonly element = make("aside", { class: "panel", "aria-label": "Details", hidden: true, tabindex: -1 });
  private readonly content: Content;
  private readonly state: State;
  private readonly stage: Stage;
  private pendingThumbnails: (() => boolean)[] = [];
  private readonly reasons: ReasonView;
  private readonly suggestions: SuggestionView;
  private settling = 0;
  private common: { selected: readonly number[]; passing: Uint8Array | null; found: Enrichment[][] } | null = null;

  constructor(private readonly host: PanelHost) {
    const { content, state, stage } = host;
    this.content = content;
    this.state = state;
    this.stage = stage;
    this.reasons = new ReasonView(content, state, stage, (item, note) => this.entry(item, note), () => this.paint());
    this.suggestions = new SuggestionView(content, state, (item, note) => this.entry(item, note), () => this.paint());
    state.pinned.on(() => this.update());
    state.selection.on(() => this.update());
    state.theme.on(() => this.update());
    const settle = () => {
      clearTimeout(this.settling);
      this.settling = window.setTimeout(() => this.element.hidden || this.update(), SETTLED);
    };
    state.passing.on(settle);
    state.hidden.on(settle);
  }

  get open(): boolean {
    return this.state.pinned.value !== NO_ITEM || this.state.selection.value.length > 0;
  }

  /** Close what it is about: what is pinned or, where nothing is, the selection. */
  toggle(): void {
    const { pinned, selection } = this.state;
    if (pinned.value !== NO_ITEM) pinned.value = NO_ITEM;
    else if (selection.value.length) selection.value = [];
  }

  update(): void {
    const { pinned, selection } = this.state;
    const focused = focusedIn(this.element) !== null;
    this.pendingThumbnails = [];
    if (pinned.value !== NO_ITEM) this.element.replaceChildren(...this.itemDetails(pinned.value));
    else if (selection.value.length) this.element.replaceChildren(...this.selectionDetails(selection.value));
    else this.element.replaceChildren();
    this.element.hidden = this.element.childElementCount === 0;
    this.element.scrollTop = 0;
    if (focused && !this.element.hidden) this.element.focus(); // the element that had it has been replaced
    else if (focused) this.stage.element.focus({ preventScroll: true });
    this.paint();
  }

  /** Draw the thumbnails that had not been loaded before. */
  paint(): void {
    this.pendingThumbnails = this.pendingThumbnails.filter((paint) => !paint());
  }

  private itemDetails(item: number): HTMLElement[] {
    const { content } = this;
    const domain = content.domain(item);
    const linked = content.links.of(item).filter((link) => this.passes(link.item));
    const head = make(
      "header",
      {},
      make("h2", {}, singleLine(content.name(item))),
      button("Close", ICONS.close, () => (this.state.pinned.value = NO_ITEM), { class: "close" }),
      make("p", { class: "kind" }, swatch(this.colour(domain), domain.index), content.caption(item)),
    );
    const chosen = this.state.selection.value.length;
    const back = chosen
      ? make("button", { type: "button", class: "more", click: () => (this.state.pinned.value = NO_ITEM) }, `Back to ${plural(chosen, "selected item")}`)
      : null;
    const parts = [head, back, this.picture(domain, item), this.columnValues(domain, item)];
    parts.push(
      make(
        "div",
        { class: "actions" },
        make("button", { type: "button", click: () => this.stage.flyTo(item) }, "Go there"),
        linked.length ? make("button", { type: "button", click: () => this.selectLinked(linked) }, "Select linked") : null,
        this.host.copyLink && make("button", { type: "button", click: this.host.copyLink }, "Copy link"),
      ),
    );
    parts.push(this.suggestions.section(item), this.reasons.section(item));
    const note = sampleNote(linked.filter((link) => !this.state.hidden.value.has(content.domainOf[link.item])).length);
    if (note) parts.push(make("p", { class: "hint sampled" }, `${note}: the heaviest and, of equals, near and far ones.`));
    for (const other of content.domains) {
      const own = linked.filter((link) => content.domainOf[link.item] === other.index);
      if (own.length) parts.push(this.list(`Linked: ${other.about.name}`, own.map((link) => link.item), own));
    }
    const left = content.links.degree(item) - linked.length;
    if (left) parts.push(make("p", { class: "hint sampled" }, `${plural(left, "linked item")} ${left === 1 ? "does" : "do"} not pass the filters.`));
    else if (!linked.length && content.hasLinks) parts.push(make("p", { class: "hint" }, "This item has no links."));
    return parts.filter((part): part is HTMLElement => part !== null);
  }

  private passes(item: number): boolean {
    return this.state.passing.value?.[item] !== 0;
  }

  private selectLinked(linked: { item: number }[]): void {
    this.state.selection.value = linked.map((link) => link.item).sort((a, b) => a - b);
    this.state.pinned.value = NO_ITEM;
  }

  private picture(domain: Domain, item: number): HTMLElement | null {
    const own = item - domain.start;
    if (domain.about.pictures && this.content.source.picture) {
      const address = this.content.source.picture(domain.index, own);
      const picture = make("img", { class: "preview", src: address, alt: singleLine(this.content.name(item)) });
      picture.addEventListener("error", () => {
        picture.parentElement?.replaceWith(domain.about.thumbnails ? this.thumbnail(item, PREVIEW, "preview") : "");
        this.paint();
      });
      return make("a", { href: address, target: "_blank", rel: "noopener", title: "Open in full size" }, picture);
    }
    return domain.about.thumbnails ? this.thumbnail(item, PREVIEW, "preview") : null;
  }

  private thumbnail(item: number, pixels: number, style: string): HTMLCanvasElement {
    const canvas = make("canvas", { class: style, "aria-hidden": "true" });
    canvas.width = canvas.height = pixels * devicePixelRatio;
    this.pendingThumbnails.push(() => this.stage.sheets.paintPreview(canvas, item));
    return canvas;
  }

  private columnValues(domain: Domain, item: number): HTMLElement | null {
    if (!domain.columns.length && !domain.ids) return null;
    const id = domain.ids ? [make("dt", {}, "id"), make("dd", {}, singleLine(domain.ids[item - domain.start]))] : [];
    const rows = domain.columns.flatMap((column, position) => {
      const placed = position === domain.about.placed;
      const value = placed ? placement(this.content, item, column.values) : shownValue(column, item - domain.start);
      return [make("dt", {}, singleLine(column.name)), make("dd", {}, singleLine(value))];
    });
    return make("dl", {}, ...id, ...rows);
  }

  private list(title: string, items: number[], weights: { weight: number }[] | null): HTMLElement {
    const { content } = this;
    const pictured = Boolean(content.domain(items[0]).about.thumbnails);
    const list = make("ul", { class: pictured ? "thumbs" : "rows" });
    const heaviest = weights ? weights[0].weight : 0;
    const uneven = weights ? weights.some((link) => link.weight !== heaviest) : false;
    const show = (from: number, to: number) => {
      for (let at = from; at < Math.min(to, items.length); at++) {
        const note = uneven && weights ? formatValue(weights[at].weight) : null;
        list.append(make("li", {}, this.entry(items[at], note)));
      }
      this.paint();
    };
    show(0, FIRST_ITEMS);
    const section = make("section", {}, make("h3", {}, `${title} (${formatCount(items.length)})`), list);
    if (items.length > FIRST_ITEMS) {
      const more = make("button", { type: "button", class: "more" });
      const label = () => (more.textContent = `Show more (${formatCount(items.length - list.childElementCount)})`);
      more.addEventListener("click", () => {
        const first = list.childElementCount;
        show(first, first + MORE_ITEMS);
        if (list.childElementCount < items.length) return void label();
        const focused = focusedIn(more) !== null;
        more.remove();
        if (focused) list.children[first].querySelector("button")?.focus({ preventScroll: true }); // goes on where it was
      });
      label();
      section.append(more);
    }
    return section;
  }

  private entry(item: number, note: string | null): HTMLElement {
    const { content } = this;
    const name = singleLine(content.name(item));
    const pictured = Boolean(content.domain(item).about.thumbnails);
    const row = make(
      "button",
      { type: "button", class: "entry", title: name, click: () => this.host.go(item) },
      pictured ? this.thumbnail(item, SMALL, "thumb") : swatch(this.colour(content.domain(item)), content.domainOf[item]),
      make("span", { class: "name" }, name),
      note === null ? null : make("span", { class: "note" }, note),
    );
    row.addEventListener("pointermove", (event) => {
      // not when the panel has opened under a pointer at rest
      if (event.movementX || event.movementY) this.state.hovered.value = item;
    });
    row.addEventListener("pointerleave", () => (this.state.hovered.value = NO_ITEM));
    row.addEventListener("focus", () => (this.state.hovered.value = item));
    row.addEventListener("blur", () => (this.state.hovered.value = NO_ITEM));
    return row;
  }

  private selectionDetails(selected: readonly number[]): HTMLElement[] {
    const { content } = this;
    const items = this.state.passing.value ? selected.filter((item) => this.passes(item)) : selected;
    const left = selected.length - items.length;
    const counts = content.domains.map((domain) => ({
      domain,
      count: items.reduce((sum, item) => sum + Number(content.domainOf[item] === domain.index), 0),
    }));
    const region = this.state.region.value;
    const title = region === NO_REGION ? `${plural(items.length, "item")} selected` : singleLine(content.regions.all[region].name);
    const head = make(
      "header",
      {},
      make("h2", {}, title),
      button("Clear the selection", ICONS.close, () => (this.state.selection.value = []), { class: "close" }),
    );
    const table = make("dl", {});
    for (const { domain, count } of counts) {
      table.append(
        make("dt", {}, swatch(this.colour(domain), domain.index), domain.about.name),
        make("dd", {}, `${formatCount(count)} of ${formatCount(domain.count)}`),
      );
    }
    const actions = make(
      "div",
      { class: "actions" },
      make("button", { type: "button", click: () => download("selection.csv", toCsv(content, items)) }, "Export CSV"),
      make("button", { type: "button", click: () => this.stage.flyAround(items) }, "Go there"),
    );
    const parts: HTMLElement[] = [head, table, actions];
    if (left) parts.push(make("p", { class: "hint sampled" }, `${plural(left, "selected item")} ${left === 1 ? "does" : "do"} not pass the filters.`));
    if (region !== NO_REGION) {
      const [where, ...inside] = aboutRegion(content, region, (other) => this.host.goToRegion(other));
      head.append(where);
      parts.push(...inside);
    }
    this.commonLinks(selected, items).forEach((about, index) => {
      if (about.length) parts.push(this.enrichmentList(content.domains[index].about.name, about));
    });
    for (const { domain, count } of counts) {
      const own = items.filter((item) => content.domainOf[item] === domain.index);
      if (count) parts.push(this.list(`Selected: ${domain.about.name}`, own, null));
    }
    return parts;
  }

  /** What is linked to the selection more often than by chance; computed anew only for other items. */
  private commonLinks(selected: readonly number[], items: readonly number[]): Enrichment[][] {
    const { value: passing } = this.state.passing;
    if (this.common?.selected !== selected || this.common.passing !== passing) {
      this.common = { selected, passing, found: enrichment(this.content, items) };
    }
    return this.common.found;
  }

  private enrichmentList(kind: string, about: Enrichment[]): HTMLElement {
    const list = make("ul", { class: "rows enrichment" });
    for (const { item, inside, all, times } of about) {
      const note = `${formatCount(inside)} of ${formatCount(all)} · ${times >= 10 ? Math.round(times) : times.toFixed(1)}×`;
      list.append(make("li", {}, this.entry(item, note)));
    }
    return make("section", {}, make("h3", {}, `Linked more often than by chance: ${kind}`), list);
  }

  private colour(domain: Domain): string {
    return domainColour(this.state.theme.value, domain.index);
  }

  destroy(): void {
    clearTimeout(this.settling);
  }
}

export const details: PanelKind = { name: "details", place: "right", make: (host) => new Details(host) };
