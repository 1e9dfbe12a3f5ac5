// The table of contents: the regions of the map as a tree, and what is told of one that is selected.

import type { Content } from "../content";
import { button, icon, make, uniqueId } from "../dom";
import { formatCount, plural, singleLine } from "../format";
import { ICONS } from "../icons";
import { NO_REGION, type Region } from "../regions";
import type { State } from "../state";
import type { Panel, PanelHost, PanelKind } from "./panel";
import "../regions.css";

class Contents implements Panel {
  onToggle: (open: boolean) => void = () => {};
  readonly element: HTMLElement;
  private readonly content: Content;
  private readonly state: State;
  private readonly tree = make("ul", { role: "tree" });
  private readonly rows = new Map<number, HTMLElement>();

  constructor(private readonly host: PanelHost) {
    this.content = host.content;
    this.state = host.state;
    const title = uniqueId("contents");
    const { state, content: { regions } } = host;
    const names = make("input", { type: "checkbox", checked: state.regions.value });
    names.addEventListener("change", () => (state.regions.value = names.checked));
    state.regions.on((shown) => (names.checked = shown));
    this.element = make(
      "nav",
      { class: "contents", "aria-labelledby": title, hidden: true },
      make("header", {}, make("h2", { id: title }, "Contents"), button("Close the contents", ICONS.close, () => this.toggle(), { class: "close" })),
      make("label", { class: "switch" }, names, "Names on the map"),
      this.tree,
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      this.toggle();
    });
    this.tree.setAttribute("aria-labelledby", title);
    this.tree.append(...regions.top.map((region) => this.entry(region)));
    this.tree.querySelector("[role=treeitem]")?.setAttribute("tabindex", "0");
    this.tree.addEventListener("keydown", (event) => this.onKey(event));
    this.tree.addEventListener("pointerleave", () => (state.hoveredRegion.value = NO_REGION));
    this.tree.addEventListener("focusout", () => (state.hoveredRegion.value = NO_REGION));
    state.region.on((chosen) => this.mark(chosen));
  }

  get open(): boolean {
    return !this.element.hidden;
  }

  toggle(): void {
    const open = !this.open;
    this.element.hidden = !open;
    this.onToggle(open);
    if (!open) this.host.leave();
    else if (this.state.region.value !== NO_REGION) this.focus(this.reveal(this.state.region.value));
    else this.tree.querySelector<HTMLElement>("[tabindex='0']")?.focus({ preventScroll: true });
  }

  /** An entry: the row of a region and, once it has been opened, the rows of its parts below it. */
  private entry(region: Region): HTMLElement {
    const { index, words, parts, count } = region;
    const [first, ...others] = words.map(singleLine);
    const row = make(
      "div",
      { role: "treeitem", tabindex: -1, "aria-selected": "false", title: singleLine(region.name) },
      make("span", { class: "turn", "aria-hidden": "true" }, parts.length ? icon(ICONS.turn) : ""),
      make("span", { class: "name" }, first, make("span", { class: "others" }, others.length ? `, ${others.join(", ")}` : "")),
      make("span", { class: "count" }, formatCount(count)),
    );
    if (parts.length) row.setAttribute("aria-expanded", "false");
    row.addEventListener("click", (event) => {
      this.focus(row);
      if (event.target instanceof Element && event.target.closest(".turn") && parts.length) this.expand(row, region);
      else this.host.goToRegion(index);
    });
    row.addEventListener("pointerenter", () => (this.state.hoveredRegion.value = index));
    row.addEventListener("focus", () => (this.state.hoveredRegion.value = index));
    this.rows.set(index, row);
    return make("li", { role: "none" }, row);
  }

  /** Show the parts of a region, or hide them. */
  private expand(row: HTMLElement, region: Region, open = row.getAttribute("aria-expanded") === "false"): void {
    row.setAttribute("aria-expanded", String(open));
    const group = row.nextElementSibling;
    if (group instanceof HTMLElement) group.hidden = !open;
    else if (open) {
      const id = uniqueId("parts");
      row.after(make("ul", { role: "group", id }, ...region.parts.map((part) => this.entry(this.content.regions.all[part]))));
      row.setAttribute("aria-owns", id);
    }
  }

  /** The row of a region, with all regions around it open. */
  private reveal(index: number): HTMLElement {
    for (const region of this.content.regions.path(index).slice(0, -1)) this.expand(this.rows.get(region.index)!, region, true);
    return this.rows.get(index)!;
  }

  private mark(chosen: number): void {
    this.tree.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    if (chosen === NO_REGION) return;
    const row = this.reveal(chosen);
    row.setAttribute("aria-selected", "true");
    if (this.open) row.scrollIntoView({ block: "nearest" });
  }

  private focus(row: HTMLElement): void {
    this.tree.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    row.setAttribute("tabindex", "0");
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }

  /** Keys of a tree: up and down along the rows, right and left into parts and out of them, Enter to choose. */
  private onKey(event: KeyboardEvent): void {
    const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[role=treeitem]") : null;
    const index = [...this.rows].find(([, each]) => each === row)?.[0];
    if (!row || index === undefined) return;
    const region = this.content.regions.all[index];
    const shown = [...this.tree.querySelectorAll<HTMLElement>("[role=treeitem]")].filter((each) => !each.closest("[hidden]"));
    const at = shown.indexOf(row);
    const expanded = row.getAttribute("aria-expanded") === "true";
    const moves: Record<string, () => void> = {
      ArrowDown: () => this.focus(shown[Math.min(shown.length - 1, at + 1)]),
      ArrowUp: () => this.focus(shown[Math.max(0, at - 1)]),
      Home: () => this.focus(shown[0]),
      End: () => this.focus(shown[shown.length - 1]),
      ArrowRight: () => (expanded ? this.focus(shown[at + 1]) : region.parts.length && this.expand(row, region, true)),
      ArrowLeft: () => (expanded ? this.expand(row, region, false) : region.parent !== NO_REGION && this.focus(this.rows.get(region.parent)!)),
      Enter: () => this.host.goToRegion(index),
      " ": () => this.host.goToRegion(index),
    };
    const act = moves[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}

/** What the panel tells of a selected region: what it is a part of, and what its parts are. */
export function aboutRegion(content: Content, index: number, choose: (region: number) => void): HTMLElement[] {
  const { regions } = content;
  const path = regions.path(index);
  const region = path[path.length - 1];
  const link = (other: Region, text = other.name) =>
    make("button", { type: "button", class: "region-link", title: singleLine(other.name), click: () => choose(other.index) }, singleLine(text));
  const around = path.slice(0, -1).flatMap((other) => [link(other, other.words[0]), make("span", { "aria-hidden": "true" }, "›")]);
  const found: HTMLElement[] = [make("p", { class: "kind path" }, ...around, make("span", {}, `region of ${plural(region.count, "item")}`))];
  if (region.parts.length) {
    const rows = region.parts.map((part) => make("li", {}, link(regions.all[part]), make("span", { class: "count" }, formatCount(regions.all[part].count))));
    found.push(make("section", { class: "parts" }, make("h3", {}, `Parts (${formatCount(rows.length)})`), make("ul", {}, ...rows)));
  }
  return found;
}

export const contents: PanelKind = {
  name: "contents",
  place: "left",
  button: {
    label: "Contents",
    icon: "M4 6h.1M8 6h12M4 12h.1M11 12h9M4 18h.1M11 18h9",
    key: "c",
    help: [["C", "list the contents of the map: its regions and their parts"]],
  },
  make: (host) => (host.content.regions.all.length ? new Contents(host) : null),
};
