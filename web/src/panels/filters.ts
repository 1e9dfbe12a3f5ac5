// The filters: a section for every column of every kind, how many items pass, and what becomes of the rest.

import { CategoryFilter } from "../categoryfilter";
import type { Column, Content, Domain } from "../content";
import { button, make, uniqueId } from "../dom";
import type { Filtering } from "../filtering";
import { NO_FILTERS, type Rule, withRule } from "../filters";
import { ruleText } from "../filtertext";
import { formatCount, singleLine } from "../format";
import { ICONS } from "../icons";
import { rangeFilter } from "../rangefilter";
import type { State } from "../state";
import type { Panel, PanelHost, PanelKind } from "./panel";
import "../filters.css";

const MOST_OPEN = 4; // columns up to which all sections are open at first
const DELAY = 150; // milliseconds after the last keystroke in a text

/** What a section knows of its column. */
export interface SectionContext {
  rule(): Rule | undefined;
  set(rule: Rule | null): void;
  /** How many items with each code pass the other filters. */
  counts(codes: Uint8Array | Uint16Array, length: number): Uint32Array;
}

export interface FilterSection {
  element: HTMLElement;
  sync(): void; // with the rule
  recount(): void;
  stop(): void; // what is playing, and what has been typed but does not filter yet
  close(): void; // the section: nothing plays on, and what has been typed filters at once
}

interface Shown {
  key: string;
  details: HTMLDetailsElement;
  about: HTMLElement;
  section: FilterSection | null; // once it has been opened
  column: Column;
}

class FilterPanel implements Panel {
  readonly element: HTMLElement;
  private readonly content: Content;
  private readonly state: State;
  private readonly filtering: Filtering;
  /** What tells that something is filtered while the panel is closed. */
  readonly note = make("div", { class: "filter-note", hidden: true });
  private readonly sections: Shown[] = [];
  private readonly passing = make("strong");
  private readonly clear: HTMLButtonElement;
  private readonly heading = make("h2", { id: uniqueId("filters"), tabindex: -1 }, "Filters");
  private closed = false;
  onToggle: (open: boolean) => void = () => {};

  constructor(private readonly host: PanelHost) {
    const { content, state } = host;
    this.content = content;
    this.state = state;
    this.filtering = host.filtering;
    this.clear = make("button", { type: "button", class: "region-link", click: () => this.reset() }, "Clear");
    const groups = content.domains.filter((domain) => domain.columns.length).map((domain) => this.group(domain));
    this.element = make(
      "section",
      { class: "filters", "aria-labelledby": this.heading.id, hidden: true },
      make("header", {}, this.heading, button("Close the filters", ICONS.close, () => this.toggle(), { class: "close" })),
      make("p", { class: "passing", role: "status" }, this.passing, " ", this.clear),
      this.rest(),
      ...groups,
    );
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.note.append(make("button", { type: "button", class: "region-link", click: () => host.toggle("filters") }), make("button", { type: "button", class: "region-link", click: () => this.reset() }, "Clear"));
    state.filters.on(() => this.sync());
    state.passing.on(() => this.recount());
    this.sync();
    this.recount();
  }

  get open(): boolean {
    return !this.element.hidden;
  }

  toggle(): void {
    this.element.hidden = this.open;
    if (this.open) {
      this.recount();
      this.heading.focus({ preventScroll: true });
    } else {
      for (const { section } of this.sections) section?.close();
      this.host.leave();
    }
    this.showNote();
    this.onToggle(this.open);
  }

  /** Stop what would change filters later. */
  stop(): void {
    for (const { section } of this.sections) section?.stop();
  }

  /** End what would change filters later: a played window, or words that have just been typed. */
  destroy(): void {
    this.closed = true;
    this.stop();
  }

  private reset(): void {
    this.stop();
    this.state.filters.value = { ...NO_FILTERS, linked: this.state.filters.value.linked };
    if (this.open) this.heading.focus({ preventScroll: true });
    else this.host.leave();
  }

  /** What becomes of what does not pass, and of other kinds. */
  private rest(): HTMLElement {
    const { state, content } = this;
    const dim = make("input", { type: "checkbox" });
    dim.addEventListener("change", () => (state.dimming.value = dim.checked));
    const show = () => (dim.checked = state.dimming.value);
    state.dimming.on(show);
    show();
    const parts = [make("label", { class: "switch" }, dim, "Dim the rest instead of hiding it")];
    if (content.hasLinks && content.domains.length > 1) {
      const linked = make("input", { type: "checkbox" });
      linked.addEventListener("change", () => (state.filters.value = { ...state.filters.value, linked: linked.checked }));
      const follow = () => (linked.checked = state.filters.value.linked);
      state.filters.on(follow);
      follow();
      parts.push(make("label", { class: "switch" }, linked, "Other kinds: only items linked to those that pass"));
    }
    return make("div", { class: "rest" }, ...parts);
  }

  private group(domain: Domain): HTMLElement {
    const heading = this.content.domains.length > 1 ? make("h3", {}, singleLine(domain.about.name)) : null;
    const all = this.content.domains.reduce((sum, each) => sum + each.columns.length, 0);
    const rows = domain.columns.map((column, position) => this.row(domain, column, position, all <= MOST_OPEN));
    return make("div", { class: "group" }, heading, ...rows);
  }

  private row(domain: Domain, column: Column, position: number, open: boolean): HTMLElement {
    const key = `${domain.index}.${position}`;
    const { state } = this;
    const context: SectionContext = {
      rule: () => state.filters.value.rules.get(key),
      set: (rule) => {
        if (!this.closed) state.filters.value = withRule(state.filters.value, key, rule);
      },
      counts: (codes, length) => this.filtering.sieve.counts(key, domain, codes, length),
    };
    const about = make("span", { class: "count" });
    const details = make("details", {}, make("summary", {}, make("span", { class: "name" }, singleLine(column.name)), about));
    const shown: Shown = { key, details, about, section: null, column };
    const fill = () => {
      if (!details.open || shown.section) return;
      shown.section = sectionOf(context, column);
      details.append(shown.section.element);
      shown.section.sync();
      shown.section.recount();
    };
    details.addEventListener("toggle", () => {
      fill();
      if (details.open) shown.section?.recount();
      else shown.section?.close();
    });
    details.open = open || state.filters.value.rules.has(key);
    this.sections.push(shown);
    return details;
  }

  private sync(): void {
    const { rules } = this.state.filters.value;
    for (const { key, about, section, column, details } of this.sections) {
      const rule = rules.get(key);
      about.textContent = rule ? ruleText(column, rule) : "";
      details.classList.toggle("ruled", rule !== undefined);
      section?.sync();
    }
    this.clear.hidden = !rules.size;
  }

  private recount(): void {
    const { passing } = this.state;
    const { count } = this.content;
    const some = passing.value ? this.filtering.passingCount : count;
    const text = passing.value ? `${formatCount(some)} of ${formatCount(count)} items` : `All ${formatCount(count)} items`;
    this.passing.textContent = text;
    this.showNote();
    this.note.firstElementChild!.textContent = text;
    if (this.open) for (const { section, details } of this.sections) if (details.open) section?.recount();
  }

  private showNote(): void {
    this.note.hidden = this.open || !this.state.passing.value;
  }

  /** Escape closes the panel and keeps the filters; browsers would empty a box of words. */
  private onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    event.preventDefault();
    this.toggle();
  }
}

function sectionOf(context: SectionContext, column: Column): FilterSection {
  if (column.kind === "text") return textFilter(context, column);
  return column.categories ? new CategoryFilter(context, column) : rangeFilter(context, column);
}

function textFilter(context: SectionContext, column: Column): FilterSection {
  const box = make("input", { type: "search", placeholder: "Words", "aria-label": `Words in ${singleLine(column.name)}` });
  let timer = 0;
  let known = ""; // the words of the filter
  const apply = () => {
    timer = 0;
    known = box.value.trim();
    context.set({ kind: "text", text: box.value });
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(apply, DELAY);
  });
  const sync = () => {
    const rule = context.rule();
    const words = rule?.kind === "text" ? rule.text.trim() : "";
    if (words === known) return; // the box may have a blank more, or words that do not filter yet
    known = words;
    box.value = words;
  };
  const stop = () => {
    if (timer) box.value = known;
    clearTimeout(timer);
    timer = 0;
  };
  const close = () => {
    if (!timer) return;
    clearTimeout(timer);
    apply();
  };
  return { element: make("div", { class: "text" }, box), sync, recount: () => {}, stop, close };
}

export const filters: PanelKind = {
  name: "filters",
  place: "left",
  button: {
    label: "Filters",
    icon: "M3 5h18M6 12h12M10 19h4",
    key: "f",
    help: [["F", "filter by what is known of the items; arrow keys move the ends of a histogram's brush"]],
  },
  make: (host) => (host.content.domains.some((domain) => domain.columns.length) ? new FilterPanel(host) : null),
};
