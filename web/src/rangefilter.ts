// The filter of a column of numbers or dates: a histogram with a brush, which can be played.

import type { Column } from "./content";
import { button, focusedIn, make, makeSvg } from "./dom";
import { shortest } from "./export";
import { type RangeRule, ranged } from "./filters";
import type { FilterSection, SectionContext } from "./panels/filters";
import { formatCount, formatDay, formatValue, roundOut, singleLine } from "./format";
import { type Bins, NO_BIN, binned, edgesOf, placeOf, summaryOf, valuesBetween } from "./histogram";
import { ICONS } from "./icons";

const STEP_TIME = 450; // milliseconds that a played window stays
const FIRST_WINDOW = 8; // the part of the scale that is played through where nothing was brushed before, as 1 / FIRST_WINDOW
const LEAST_BAR = 0.04; // of the height, so that few items can be seen

export function rangeFilter(context: SectionContext, column: Column): FilterSection {
  const summary = summaryOf(column);
  if (!summary) return { element: make("p", { class: "hint" }, "No item has a value."), sync: () => {}, recount: () => {}, stop: () => {}, close: () => {} };
  return new RangeFilter(context, column, summary);
}

class RangeFilter implements FilterSection {
  readonly element: HTMLElement;
  private bins: Bins;
  private log: boolean;
  private readonly all = makeSvg("path", { class: "all" });
  private readonly passing = makeSvg("path", { class: "passing" });
  private readonly bars = makeSvg("svg", { class: "bars", preserveAspectRatio: "none", "aria-hidden": "true" }, this.all, this.passing);
  private readonly area = make("div", { class: "histogram" });
  private readonly window = make("div", { class: "window" });
  private readonly handles: [HTMLElement, HTMLElement];
  private readonly ends: [HTMLInputElement, HTMLInputElement];
  private readonly missing: HTMLInputElement | null = null;
  private readonly missingCount = make("span", { class: "count" });
  private readonly player: HTMLButtonElement;
  private timer = 0;

  constructor(
    private readonly context: SectionContext,
    private readonly column: Column,
    private readonly summary: NonNullable<ReturnType<typeof summaryOf>>,
  ) {
    this.log = summary.skewed;
    this.bins = this.bin();
    const name = singleLine(column.name);
    this.handles = [this.handle(`${name} from`, 0), this.handle(`${name} to`, 1)];
    this.ends = [this.end(`${name} from`, 0), this.end(`${name} to`, 1)];
    this.area.append(this.bars, this.window, ...this.handles);
    this.listen();
    this.player = button(`Play through ${name}`, ICONS.play, () => this.play(), { class: "play" });
    const log = summary.fitsLog ? this.logSwitch() : null;
    if (summary.missing) {
      const box = (this.missing = make("input", { type: "checkbox" }));
      box.addEventListener("change", () => {
        this.stop();
        this.set({ ...this.rule, missing: box.checked });
      });
    }
    this.element = make(
      "div",
      { class: "range" },
      this.area,
      make("div", { class: "ends-row" }, this.ends[0], make("span", { "aria-hidden": "true" }, "–"), this.ends[1], this.player),
      log,
      this.missing && make("label", { class: "switch" }, this.missing, make("span", { class: "name" }, "No value"), this.missingCount),
    );
    this.sync();
  }

  private bin(): Bins {
    return binned(this.column, edgesOf(this.summary, this.column.kind, this.log), this.summary.whole);
  }

  private get count(): number {
    return this.bins.edges.length - 1;
  }

  private get rule(): RangeRule {
    const rule = this.context.rule();
    return rule?.kind === "range" ? rule : { kind: "range", from: -Infinity, to: Infinity, missing: true };
  }

  /** Where the brush is, in bins from the left. */
  private get brush(): [number, number] {
    const { from, to } = this.rule;
    const first = placeOf(this.bins, from, false);
    return [first, Math.max(first, placeOf(this.bins, to, true))];
  }

  private set(rule: RangeRule): void {
    this.context.set(rule);
  }

  /** Brush the bins between two edges; an end that has not been moved is kept as exactly as it was. */
  private brushTo(first: number, last: number, kept: Partial<Pick<RangeRule, "from" | "to">> = {}): void {
    const [low, high] = [Math.max(0, Math.min(first, this.count - 1)), Math.min(this.count, Math.max(last, 1))];
    const range = valuesBetween(this.bins, low, Math.max(low + 1, high));
    const exact = { ...range, ...kept };
    this.set(ranged(this.context.rule(), exact.from <= exact.to ? exact : range));
  }

  sync(): void {
    const [first, last] = this.brush;
    const places = [first, last].map((at) => (100 * at) / this.count);
    const { from, to, missing } = this.rule;
    this.window.style.left = `${places[0]}%`;
    this.window.style.width = `${places[1] - places[0]}%`;
    this.area.classList.toggle("brushed", from !== -Infinity || to !== Infinity);
    for (const at of [0, 1] as const) {
      const text = this.format(this.shown(at));
      this.handles[at].style.left = `${places[at]}%`;
      this.handles[at].setAttribute("aria-valuenow", String(Math.round([first, last][at])));
      this.handles[at].setAttribute("aria-valuetext", text);
      if (!focusedIn(this.ends[at])) this.write(at);
    }
    if (this.missing) this.missing.checked = missing;
    this.passing.style.clipPath = `inset(0 ${100 - places[1]}% 0 ${places[0]}%)`;
  }

  /** An end of the range, or of all values where it is open. */
  private shown(at: 0 | 1): number {
    const { from, to } = this.rule;
    const end = at ? to : from;
    return Number.isFinite(end) ? end : at ? this.summary.high : this.summary.low;
  }

  /** Write an end into its box. */
  private write(at: 0 | 1): void {
    const value = this.shown(at);
    const isOpen = !Number.isFinite(at ? this.rule.to : this.rule.from);
    // all digits of the lowest or highest value would say nothing; what is written leaves the end open
    const digits = isOpen ? roundOut(shortest(value), at === 1) : Number.isInteger(value) ? value : Number(value.toPrecision(7));
    this.ends[at].value = this.column.kind === "date" ? formatDay(value) : String(digits);
  }

  recount(): void {
    const { bins, count } = this;
    const counts = this.context.counts(bins.codes, NO_BIN + 1);
    const most = bins.totals.reduce((largest, each) => Math.max(largest, each), 1);
    this.bars.setAttribute("viewBox", `0 0 ${count} 1`);
    this.all.setAttribute("d", barPath(bins.totals, count, most));
    this.passing.setAttribute("d", barPath(counts, count, most));
    this.missingCount.textContent = share(counts[NO_BIN], this.summary.missing);
  }

  private format(value: number): string {
    return this.column.kind === "date" ? formatDay(value) : formatValue(value);
  }

  private handle(label: string, at: 0 | 1): HTMLElement {
    const made = make("div", { class: "handle", role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": 0, "aria-valuemax": this.count });
    made.addEventListener("keydown", (event) => {
      const [first, last] = this.brush;
      const now = [first, last][at];
      const page = Math.max(1, Math.round(this.count / 8));
      const goals: Record<string, number> = {
        ArrowLeft: Math.ceil(now) - 1, ArrowDown: Math.ceil(now) - 1, ArrowRight: Math.floor(now) + 1, ArrowUp: Math.floor(now) + 1,
        PageDown: Math.ceil(now) - page, PageUp: Math.floor(now) + page, Home: 0, End: this.count,
      };
      const goal = goals[event.key];
      if (goal === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.stop();
      const { from, to } = this.rule;
      if (at === 0) this.brushTo(Math.min(goal, Math.ceil(last) - 1), Math.ceil(last), { to });
      else this.brushTo(Math.floor(first), Math.max(goal, Math.floor(first) + 1), { from });
    });
    return made;
  }

  /** A box for an exact end. Ends that are given the wrong way round change places. */
  private end(label: string, at: 0 | 1): HTMLInputElement {
    const isDate = this.column.kind === "date";
    const made = make("input", { type: isDate ? "date" : "number", step: "any", "aria-label": `${label}, exactly` });
    // browsers tell of a date with every digit of its year: until it is complete, the other end is the one before
    let typed: { rule: RangeRule; other: number } | null = null;
    made.addEventListener("change", () => {
      this.stop();
      const { from, to } = this.rule;
      const other = typed && typed.rule === this.context.rule() ? typed.other : at ? from : to;
      const value = made.value === "" ? NaN : isDate ? Date.parse(made.value) / 86_400_000 : Number(made.value);
      const rule = ranged(this.context.rule(), this.rangeOf(at, value, other));
      this.set(rule);
      if (isDate) typed = { rule, other };
      else this.write(at);
    });
    made.addEventListener("blur", () => {
      typed = null;
      this.sync();
    });
    return made;
  }

  /** The range with an end as given, NaN for none. */
  private rangeOf(at: 0 | 1, value: number, other: number): { from: number; to: number } {
    const given = Number.isNaN(value) ? (at ? Infinity : -Infinity) : value;
    const [from, to] = [Math.min(given, other), Math.max(given, other)];
    return { from: from <= this.summary.low ? -Infinity : from, to: to >= this.summary.high ? Infinity : to };
  }

  /** Drag a handle, the window, or a new window from where nothing is brushed. */
  private listen(): void {
    const { area } = this;
    let drag: ((at: number) => void) | null = null;
    const placed = (event: PointerEvent) => {
      const box = area.getBoundingClientRect();
      return (this.count * (event.clientX - box.left)) / Math.max(1, box.width);
    };
    area.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      area.setPointerCapture(event.pointerId);
      this.stop();
      const began = placed(event);
      const [first, last] = this.brush;
      const handle = this.handles.findIndex((each) => each === event.target);
      if (handle >= 0) {
        this.handles[handle].focus();
        const other = handle ? Math.floor(first) : Math.ceil(last);
        const { from, to } = this.rule;
        drag = (at) => {
          const moved = Math.round(at);
          const crossed = handle ? moved <= other : moved >= other;
          this.brushTo(Math.min(moved, other), Math.max(moved, other), crossed ? {} : handle ? { from } : { to });
        };
      } else if (area.classList.contains("brushed") && began > first && began < last) {
        const [low, width] = [Math.round(first), Math.max(1, Math.round(last - first))];
        drag = (at) => {
          const moved = Math.max(0, Math.min(this.count - width, low + Math.round(at - began)));
          this.brushTo(moved, moved + width);
        };
      } else {
        drag = (at) => this.brushTo(Math.floor(Math.min(began, at)), Math.ceil(Math.max(began, at)));
        drag(began + 1e-9);
      }
    });
    area.addEventListener("pointermove", (event) => drag?.(placed(event)));
    for (const kind of ["pointerup", "pointercancel"]) area.addEventListener(kind, () => (drag = null));
    area.addEventListener("dblclick", () => this.context.set(null));
  }

  private logSwitch(): HTMLElement {
    const box = make("input", { type: "checkbox", checked: this.log });
    box.addEventListener("change", () => {
      this.log = box.checked;
      this.bins = this.bin();
      for (const handle of this.handles) handle.setAttribute("aria-valuemax", String(this.count));
      this.sync();
      this.recount();
    });
    return make("label", { class: "switch" }, box, "Logarithmic scale");
  }

  /** Move the window step by step to the end; where motion is not wanted, each press is one step. */
  private play(): void {
    if (this.timer) return this.stop();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return void this.step();
    this.player.setAttribute("aria-pressed", "true");
    this.player.classList.add("playing");
    this.timer = window.setInterval(() => this.step() || this.stop(), STEP_TIME);
    this.step();
  }

  /** Move the window one bin on, from the end back to the beginning; false where it has arrived at the end. */
  private step(): boolean {
    const brushed = this.area.classList.contains("brushed");
    const [first, last] = this.brush.map(Math.round);
    const width = brushed ? Math.max(1, last - first) : Math.max(1, Math.round(this.count / FIRST_WINDOW));
    const next = brushed && last < this.count ? first + 1 : 0;
    this.brushTo(next, next + width);
    return next + width < this.count;
  }

  close(): void {
    this.stop();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    this.player?.removeAttribute("aria-pressed");
    this.player?.classList.remove("playing");
  }
}

function barPath(counts: Uint32Array, bins: number, most: number): string {
  let path = "";
  for (let bin = 0; bin < bins; bin++) {
    if (!counts[bin]) continue;
    const height = Math.max(LEAST_BAR, counts[bin] / most).toFixed(3);
    path += `M${bin + 0.06} 1v-${height}h.88v${height}z`;
  }
  return path;
}

/** How many of how many, in short. */
export function share(some: number, all: number): string {
  return some === all ? formatCount(all) : `${formatCount(some)} of ${formatCount(all)}`;
}
