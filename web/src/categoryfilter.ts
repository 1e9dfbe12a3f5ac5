// The filter of a column of categories: a switch for each, the most frequent first.

import { type Column, MISSING } from "./content";
import { make } from "./dom";
import { onlyThese, switched } from "./filters";
import type { FilterSection, SectionContext } from "./panels/filters";
import { formatCount, singleLine } from "./format";
import { share } from "./rangefilter";
import { fold } from "./search";

const FIRST = 8; // categories that are shown at first
const MORE = 40; // shown by a search, and by each "Show more"

export class CategoryFilter implements FilterSection {
  readonly element: HTMLElement;
  private readonly list = make("ul", {});
  private readonly totals: Uint32Array;
  private readonly missing: number;
  private counts: Uint32Array;
  private readonly search: HTMLInputElement | null = null;
  private shown = FIRST;

  constructor(
    private readonly context: SectionContext,
    private readonly column: Column,
  ) {
    const names = column.categories ?? [];
    this.totals = new Uint32Array(names.length);
    let missing = 0;
    for (const code of column.values) code === MISSING ? missing++ : this.totals[code]++;
    this.missing = missing;
    this.counts = this.totals;
    const name = singleLine(column.name);
    if (names.length > FIRST + 4) {
      this.search = make("input", { type: "search", placeholder: `Find in ${formatCount(names.length)}`, "aria-label": `Find a value of ${name}` });
      this.search.addEventListener("input", () => this.draw());
    }
    const choice = (label: string, act: () => void) => make("button", { type: "button", class: "region-link", "aria-label": `${label}: ${name}`, click: act }, label);
    this.element = make(
      "div",
      { class: "category-list" },
      make(
        "div",
        { class: "choices" },
        choice("All", () => context.set(null)),
        choice("None", () => context.set(onlyThese(column, []))),
        this.search,
      ),
      this.list,
    );
    this.draw();
  }

  sync(): void {
    const off = this.off;
    for (const box of this.list.querySelectorAll<HTMLInputElement>("input[data-codes]")) {
      const codes = this.codesOf(box);
      const on = codes.filter((code) => !off.has(code)).length;
      box.checked = on > 0;
      box.indeterminate = on > 0 && on < codes.length;
    }
  }

  recount(): void {
    const coded = this.context.counts(this.column.values as Uint16Array, MISSING + 1);
    this.counts = coded;
    for (const row of this.list.querySelectorAll<HTMLElement>("li")) {
      const box = row.querySelector("input");
      const count = row.querySelector(".count");
      if (box && count) count.textContent = this.share(this.codesOf(box));
    }
  }

  stop(): void {}

  close(): void {}

  private get off(): ReadonlySet<number> {
    const rule = this.context.rule();
    if (rule?.kind !== "category") return new Set();
    return rule.missing ? rule.off : new Set([...rule.off, MISSING]);
  }

  private codesOf(box: HTMLInputElement): number[] {
    const [first, last] = box.dataset.codes!.split("-").map(Number);
    return last === undefined ? [first] : Array.from({ length: last - first }, (_, at) => first + at);
  }

  private share(codes: number[]): string {
    const sum = (counts: Uint32Array) => codes.reduce((total, code) => total + (counts[code] ?? 0), 0);
    const all = codes[0] === MISSING ? this.missing : sum(this.totals);
    return share(this.counts === this.totals ? all : sum(this.counts), all);
  }

  private draw(): void {
    const names = this.column.categories ?? [];
    const wanted = fold(this.search?.value.trim() ?? "");
    const rows: HTMLElement[] = [];
    if (wanted) {
      const found = names.flatMap((name, code) => (fold(name).includes(wanted) ? [code] : []));
      rows.push(...found.slice(0, MORE).map((code) => this.row(singleLine(names[code]), `${code}`, true)));
      if (found.length > MORE) rows.push(make("li", { class: "hint" }, `and ${formatCount(found.length - MORE)} more`));
      if (!found.length) rows.push(make("li", { class: "hint" }, "None is called so."));
    } else {
      const count = names.length <= this.shown + 1 ? names.length : this.shown;
      for (let code = 0; code < count; code++) rows.push(this.row(singleLine(names[code]), `${code}`, true));
      if (count < names.length) rows.push(this.row(`${formatCount(names.length - count)} others`, `${count}-${names.length}`, false), this.more());
    }
    if (this.missing && !wanted) rows.push(this.row("No value", String(MISSING), true));
    this.list.replaceChildren(...rows);
    this.sync();
  }

  private more(): HTMLElement {
    const act = () => {
      this.shown += MORE;
      this.draw();
      this.list.querySelectorAll("input")[this.shown - MORE]?.focus();
    };
    return make("li", {}, make("button", { type: "button", class: "region-link", click: act }, "Show more"));
  }

  private row(name: string, codes: string, alone: boolean): HTMLElement {
    const box = make("input", { type: "checkbox", "data-codes": codes });
    box.addEventListener("change", () => this.context.set(this.afterSwitch(this.codesOf(box), box.checked)));
    const count = make("span", { class: "count" }, this.share(this.codesOf(box)));
    const label = make("label", { class: "switch" }, box, make("span", { class: "name", title: name }, name), count);
    const only = make("button", { type: "button", class: "only", "aria-label": `Only ${name}`, click: () => this.context.set(this.only(this.codesOf(box))) }, "only");
    return make("li", {}, label, alone ? only : null);
  }

  private only(codes: number[]) {
    const rule = onlyThese(this.column, codes);
    return { ...rule, missing: codes[0] === MISSING };
  }

  private afterSwitch(codes: number[], on: boolean) {
    const rule = switched(this.context.rule(), codes.filter((code) => code !== MISSING), on);
    return codes[0] === MISSING ? { ...rule, missing: on } : rule;
  }
}
