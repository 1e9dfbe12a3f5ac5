// The list beside two maps: what moved most, what is in one of them only, and the neighbours of the pinned item in both.

import type { Compared, Comparison } from "./compare";
import type { Content } from "./content";
import { focusedIn, make, swatch } from "./dom";
import { formatCount, formatShare, plural, singleLine } from "./format";
import { NO_ITEM } from "./state";
import { domainColour } from "./themes";

const MOST_LISTED = 100;
const NEAREST = 6; // items around the pinned one that are listed for each map
const STILL = 0.005; // radii below which an item has not moved
const SMALL = 44; // pixels of a thumbnail

type Order = "kept" | "moved";

/** Items of the first map that are in both and changed, those that changed most first. */
export function ranking({ matches, moved, kept, neighbours }: Compared, order: Order, among: readonly number[] | null): number[] {
  const changed = (item: number) => (order === "kept" ? kept[item] < neighbours : moved[item] >= STILL);
  const items = (among ?? [...matches.there.keys()]).filter((item) => matches.there[item] !== NO_ITEM && changed(item));
  const byKept = (a: number, b: number) => kept[a] - kept[b] || moved[b] - moved[a] || a - b;
  const byMoved = (a: number, b: number) => moved[b] - moved[a] || kept[a] - kept[b] || a - b;
  return items.sort(order === "kept" ? byKept : byMoved);
}

/** The ranking, computed anew only for another order or other items: pinning an item changes neither. */
export function lastRanking(compared: Compared): (order: Order, among: readonly number[] | null) => number[] {
  let last: { order: Order; among: readonly number[] | null; items: number[] } | null = null;
  return (order, among) => {
    if (last?.order !== order || last.among !== among) last = { order, among, items: ranking(compared, order, among) };
    return last.items;
  };
}

/** The share of all neighbours that the items in both maps keep; null where there are none. */
export function shareKept({ matches, kept, neighbours }: Compared, among: readonly number[] | null): number | null {
  let [sum, count] = [0, 0];
  for (const item of among ?? matches.there.keys()) {
    if (matches.there[item] === NO_ITEM) continue;
    sum += kept[item];
    count++;
  }
  return count ? sum / count / neighbours : null;
}

export function formatMoved(radii: number): string {
  return `${radii.toFixed(2)} radii`;
}

export class ComparePanel {
  readonly element = make("div", { class: "moved", tabindex: -1 });
  private order: Order = "kept";
  private readonly ranked: (order: Order, among: readonly number[] | null) => number[];
  private pending: (() => boolean)[] = [];

  constructor(
    private readonly comparison: Comparison,
    private readonly go: (map: 0 | 1, item: number) => void,
  ) {
    this.ranked = lastRanking(comparison.compared);
    for (const state of comparison.states) {
      state.pinned.on(() => this.update());
      state.selection.on(() => this.update());
    }
    comparison.state.theme.on(() => this.update());
    this.update();
  }

  /** Draw the thumbnails that had not been loaded before. */
  paint(): void {
    this.pending = this.pending.filter((paint) => !paint());
  }

  update(): void {
    this.pending = [];
    const { states } = this.comparison;
    const chosen = states.some((state) => state.selection.value.length) ? states[0].selection.value : null;
    const focused = focusedIn(this.element) !== null;
    this.element.replaceChildren(...this.pinned(), ...this.summary(chosen), this.list(this.ranked(this.order, chosen)));
    this.element.scrollTop = 0;
    if (focused) this.element.focus(); // the element that had it has been replaced
    this.paint();
  }

  private summary(chosen: readonly number[] | null): HTMLElement[] {
    const { compared, states, contents } = this.comparison;
    const share = shareKept(compared, chosen);
    const common = (chosen ?? [...compared.matches.there.keys()]).filter((item) => compared.matches.there[item] !== NO_ITEM).length;
    const kept = share === null ? "" : `: of their ${compared.neighbours} nearest, ${formatShare(share)} are the same`;
    const what = `${plural(common, chosen ? "selected item" : "item")} in both maps${kept}.`;
    const clear = chosen
      ? make("button", { type: "button", class: "more", click: () => states.forEach((state) => (state.selection.value = [])) }, "Clear the selection")
      : null;
    const only = ([0, 1] as const).map((map) => {
      const table = map === 0 ? compared.matches.there : compared.matches.back;
      const items = [...table.keys()].filter((item) => table[item] === NO_ITEM);
      if (!items.length || chosen) return null;
      const select = () => {
        states[1 - map].selection.value = [];
        states[map].selection.value = items;
      };
      return make("button", { type: "button", class: "more", click: select }, `${formatCount(items.length)} only in “${singleLine(contents[map].about.title)}”`);
    });
    const parts: (HTMLElement | null)[] = [make("p", {}, what), clear, ...only];
    return parts.filter((part): part is HTMLElement => part !== null);
  }

  private list(items: number[]): HTMLElement {
    const { compared } = this.comparison;
    const select = make("select", {}, make("option", { value: "kept" }, "fewest neighbours kept"), make("option", { value: "moved" }, "moved farthest"));
    select.value = this.order;
    select.addEventListener("change", () => {
      this.order = select.value as Order;
      this.update();
      this.element.querySelector("select")?.focus();
    });
    const rows = items.slice(0, MOST_LISTED).map((item) => {
      const note = this.order === "kept" ? `${compared.kept[item]} of ${compared.neighbours}` : formatMoved(compared.moved[item]);
      return make("li", {}, this.entry(0, item, note));
    });
    const alone = ([0, 1] as const).flatMap((map) =>
      this.selectedAlone(map).map((item) => make("li", {}, this.entry(map, item, `only in ${map + 1}`))),
    );
    rows.push(...alone.slice(0, MOST_LISTED - rows.length));
    const title = make("h2", {}, make("label", {}, "What changed most ", select));
    if (!rows.length) rows.push(make("li", { class: "hint" }, this.order === "kept" ? "All keep their neighbours." : "Nothing moved."));
    return make("section", {}, title, make("ul", { class: "rows" }, ...rows));
  }

  /** Selected items that the other map does not have. */
  private selectedAlone(map: 0 | 1): number[] {
    const { there, back } = this.comparison.compared.matches;
    return this.comparison.states[map].selection.value.filter((item) => (map === 0 ? there : back)[item] === NO_ITEM);
  }

  /** The pinned item, and its neighbours in both maps side by side. */
  private pinned(): HTMLElement[] {
    const { states, compared, contents, stages } = this.comparison;
    const map = states[0].pinned.value !== NO_ITEM ? 0 : 1;
    const item = states[map].pinned.value;
    if (item === NO_ITEM) return [];
    const { there, back } = compared.matches;
    const other = (map === 0 ? there : back)[item];
    const first = map === 0 ? item : other;
    const what =
      other === NO_ITEM
        ? `Only in “${singleLine(contents[map].about.title)}”.`
        : `Keeps ${compared.kept[first]} of its ${compared.neighbours} nearest; moved ${formatMoved(compared.moved[first])}.`;
    const near = ([0, 1] as const).map((side) => (states[side].pinned.value === NO_ITEM ? [] : stages[side].nearestTo(states[side].pinned.value, NEAREST)));
    const same = [new Set(near[1].map((each) => back[each])), new Set(near[0].map((each) => there[each]))];
    const columns = ([0, 1] as const).map((side) => {
      const rows = near[side].map((each) => make("li", {}, this.entry(side, each, same[side].has(each) ? "in both" : null)));
      return make("div", {}, make("h3", {}, singleLine(contents[side].about.title)), make("ul", {}, ...rows));
    });
    const head = make("h2", { class: "chosen" }, singleLine(contents[map].name(item)));
    return [make("section", { class: "reasons pinned" }, head, make("p", {}, what), make("div", { class: "columns two" }, ...columns))];
  }

  private entry(map: 0 | 1, item: number, note: string | null): HTMLElement {
    const { contents, states } = this.comparison;
    const content = contents[map];
    const name = singleLine(content.name(item));
    const row = make(
      "button",
      { type: "button", class: "entry", title: name, click: () => this.go(map, item) },
      content.domain(item).about.thumbnails ? this.thumbnail(map, item) : swatch(this.colour(content, item), content.domainOf[item]),
      make("span", { class: "name" }, name),
      note === null ? null : make("span", { class: "note" }, note),
    );
    const point = (to: number) => (states[map].hovered.value = to);
    row.addEventListener("pointermove", (event) => (event.movementX || event.movementY) && point(item));
    row.addEventListener("pointerleave", () => point(NO_ITEM));
    row.addEventListener("focus", () => point(item));
    row.addEventListener("blur", () => point(NO_ITEM));
    return row;
  }

  private thumbnail(map: 0 | 1, item: number): HTMLCanvasElement {
    const canvas = make("canvas", { class: "thumb", "aria-hidden": "true" });
    canvas.width = canvas.height = SMALL * devicePixelRatio;
    this.pending.push(() => this.comparison.stages[map].sheets.paintPreview(canvas, item));
    return canvas;
  }

  private colour(content: Content, item: number): string {
    return domainColour(this.comparison.state.theme.value, content.domainOf[item]);
  }
}
