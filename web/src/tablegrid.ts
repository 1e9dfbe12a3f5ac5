// The grid of a table: headings that sort, and the rows on screen, which are the only ones in the page. The grid itself
// has the focus and tells which row is current, so that rows may come and go.

import type { Content, Domain } from "./content";
import { focusedIn, icon, make, uniqueId } from "./dom";
import { formatCount } from "./format";
import { ICONS } from "./icons";
import { RowScroll } from "./rowscroll";
import type { Stage } from "./stage";
import { NO_ITEM, type State } from "./state";
import { type Sort, type TableColumn, columnsOf } from "./table";

const ROW = 36; // pixels; as in table.css
const AROUND = 4; // rows above and below those on screen
const THUMBNAIL = 30; // pixels
const SAMPLE = 500; // items whose numbers tell how wide a column is
const SETTLED = 140; // milliseconds after which scrolling is over

interface GridActs {
  choose(item: number): void;
  sortBy(column: TableColumn): void;
}

/** Least pixels and share of the rest that a column gets; numbers get what the largest and some others need. */
function widthOf({ key, title, numeric, column, text }: TableColumn, { start, count }: Domain): [number, number] {
  if (key === "name" || column?.kind === "text") return [190, 2];
  if (!numeric) return [130, 1];
  let largest = 0;
  column?.values.forEach((value, own) => {
    if (!Number.isNaN(value) && !(Math.abs(value) <= Math.abs(column.values[largest]))) largest = own;
  });
  let longest = text(start + largest).length;
  for (let own = 0; own < count; own += Math.ceil(count / SAMPLE)) longest = Math.max(longest, text(start + own).length);
  return [Math.max(76, Math.min(170, 42 + 8 * title.length), 26 + 9 * longest), 0.5];
}

export class TableGrid {
  readonly element = make("div", { class: "grid", role: "grid", tabindex: 0, "aria-label": "Items" });
  private readonly headings = make("div", { class: "headings", role: "row", "aria-rowindex": 1 });
  private readonly rows = make("div", { role: "rowgroup", class: "rows" });
  private readonly spacer = make("div", { class: "spacer", role: "presentation" }, this.rows);
  private readonly scroll = new RowScroll(ROW);
  private readonly id = uniqueId("row");
  private readonly shown = new Map<number, HTMLElement>(); // rows in the page, by position
  private readonly unpainted = new Map<HTMLCanvasElement, number>();
  private readonly observer = new ResizeObserver(() => this.fit());
  private columns: TableColumn[] = [];
  private domain: Domain | null = null;
  private current = 0;
  private settling = 0;
  items: Uint32Array = new Uint32Array();

  constructor(
    content: Content,
    private readonly state: State,
    private readonly stage: Stage,
    private readonly acts: GridActs,
  ) {
    const { element } = this;
    this.columnsOf = (domain) => columnsOf(content, domain);
    element.append(make("div", { role: "rowgroup", class: "head" }, this.headings), this.spacer);
    element.addEventListener("scroll", () => this.onScroll());
    element.addEventListener("keydown", (event) => this.onKey(event));
    element.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch" && (event.movementX || event.movementY)) state.hovered.value = this.itemUnder(event);
    });
    element.addEventListener("pointerleave", () => (state.hovered.value = NO_ITEM));
    element.addEventListener("focusout", () => (state.hovered.value = NO_ITEM));
    this.rows.addEventListener("click", (event) => {
      const at = positionOf(event);
      if (at !== null) this.choose(at);
    });
    state.hovered.on(() => this.mark());
    state.pinned.on((item) => this.onPin(item));
    this.observer.observe(element);
  }

  private readonly columnsOf: (domain: Domain) => TableColumn[];

  /** List items of a kind, in this order. */
  show(domain: Domain, items: Uint32Array, sort: Sort | null): void {
    if (domain !== this.domain) {
      this.domain = domain;
      this.columns = this.columnsOf(domain);
      const widths = this.columns.map((column) => widthOf(column, domain));
      this.element.style.setProperty("--columns", widths.map(([least, share]) => `minmax(${least}px, ${share}fr)`).join(" "));
      this.element.style.setProperty("--least", `${widths.reduce((sum, [least]) => sum + least, 0)}px`);
    }
    this.writeHeadings(sort);
    const before = this.items[this.current];
    const same = items.length === this.items.length && items.every((item, at) => item === this.items[at]);
    this.items = items;
    this.current = Math.max(0, items.indexOf(before));
    this.element.setAttribute("aria-rowcount", String(items.length + 1));
    this.clear();
    if (!same) this.element.scrollTop = this.scroll.resize(0, 0);
    this.fit();
    this.onPin(this.state.pinned.value);
  }

  private writeHeadings(sort: Sort | null): void {
    const focused = focusedIn(this.headings)?.dataset.key;
    const cells = this.columns.map((column) => {
      const sorted = column.key === sort?.key ? (sort.descending ? "descending" : "ascending") : "none";
      const heading = make("button", { type: "button", title: column.title, "data-key": column.key, click: () => this.acts.sortBy(column) });
      heading.append(make("span", { class: "name" }, column.title), sorted === "none" ? "" : icon(ICONS.turn));
      return make("div", { role: "columnheader", "aria-sort": sorted, class: column.numeric ? "number" : "" }, heading);
    });
    this.headings.replaceChildren(...cells);
    if (focused) this.headings.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }

  /** Take the room that there is. */
  private fit(): void {
    if (!this.element.clientHeight) return;
    const top = this.scroll.resize(this.items.length, this.element.clientHeight - this.headings.offsetHeight);
    this.spacer.style.height = `${this.scroll.height}px`;
    this.element.scrollTop = top;
    this.render();
    this.paint();
  }

  private onScroll(): void {
    this.scroll.scrolled(this.element.scrollTop);
    this.render();
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      if (this.scroll.isMoved(this.element.scrollTop)) return this.onScroll(); // since the last frame
      this.settling = 0;
      this.element.scrollTop = this.scroll.settle();
      this.render();
      this.paint();
    }, SETTLED);
    this.paint();
  }

  /** Put the rows on screen into the page, and take the others out. */
  private render(): void {
    const { first, end, offset } = this.scroll.range(AROUND);
    for (const [at, row] of this.shown) {
      if (at >= first && at < end) continue;
      row.remove();
      this.shown.delete(at);
    }
    let after: HTMLElement | null = null;
    for (let at = first; at < end; at++) {
      let row = this.shown.get(at);
      if (!row) {
        row = this.row(at);
        this.shown.set(at, row);
        if (after) after.after(row);
        else this.rows.prepend(row);
      }
      after = row;
    }
    this.rows.style.transform = `translateY(${Math.round(offset)}px)`;
    this.mark();
  }

  private clear(): void {
    this.shown.clear();
    this.unpainted.clear();
    this.rows.replaceChildren();
  }

  private row(at: number): HTMLElement {
    const item = this.items[at];
    const cells = this.columns.map((column) => {
      const text = column.text(item);
      const cell = make("div", { role: "gridcell", class: column.numeric ? "number" : "" }, make("span", { class: "name", title: text }, text));
      if (column.key === "name" && this.domain?.about.thumbnails) cell.prepend(this.thumbnail(item));
      return cell;
    });
    return make("div", { role: "row", class: "row", id: `${this.id}-${at}`, "aria-rowindex": at + 2, "data-at": at }, ...cells);
  }

  private thumbnail(item: number): HTMLCanvasElement {
    const canvas = make("canvas", { class: "thumb", "aria-hidden": "true" });
    canvas.width = canvas.height = THUMBNAIL * devicePixelRatio;
    this.unpainted.set(canvas, item);
    return canvas;
  }

  /** Draw thumbnails that were not drawn yet; while rows are passing by, none is loaded for it. */
  paint(): void {
    const { sheets } = this.stage;
    for (const [canvas, item] of this.unpainted) {
      const gone = !canvas.isConnected;
      if (gone || ((!this.settling || sheets.has(item)) && sheets.paintPreview(canvas, item))) this.unpainted.delete(canvas);
    }
  }

  /** Mark the rows of the item under the pointer and of the pinned one, and the current row. */
  private mark(): void {
    const { hovered, pinned } = this.state;
    for (const [at, row] of this.shown) {
      const item = this.items[at];
      row.setAttribute("aria-selected", String(item === pinned.value));
      row.classList.toggle("hovered", item === hovered.value);
      row.classList.toggle("current", at === this.current);
    }
    if (this.shown.has(this.current)) this.element.setAttribute("aria-activedescendant", `${this.id}-${this.current}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  private onPin(item: number): void {
    const at = item === NO_ITEM || !this.element.clientHeight ? -1 : this.items.indexOf(item);
    if (at >= 0) this.moveTo(at);
    else this.mark();
  }

  private moveTo(at: number): void {
    this.current = at;
    this.element.scrollTop = this.scroll.reveal(at);
    this.render();
    this.paint();
  }

  private choose(at: number): void {
    this.moveTo(at);
    this.acts.choose(this.items[at]);
  }

  private itemUnder(event: Event): number {
    const at = positionOf(event);
    return at === null ? NO_ITEM : this.items[at];
  }

  private onKey(event: KeyboardEvent): void {
    if (event.target !== this.element || event.ctrlKey || event.metaKey || event.altKey || !this.items.length) return;
    const { current, items, scroll } = this;
    const goals: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + scroll.page,
      PageUp: current - scroll.page,
      Home: 0,
      End: items.length - 1,
    };
    const choosing = event.key === "Enter" || event.key === " ";
    if (!choosing && !(event.key in goals)) return;
    event.preventDefault();
    event.stopPropagation();
    if (choosing) return this.choose(current);
    this.moveTo(Math.min(items.length - 1, Math.max(0, goals[event.key])));
    this.state.hovered.value = items[this.current];
  }

  /** How the rows are sorted, as a sentence. */
  told(sort: Sort | null): string {
    const rows = `${formatCount(this.items.length)} rows`;
    const column = this.columns.find(({ key }) => key === sort?.key);
    return column ? `${rows}, sorted by ${column.title}, ${sort?.descending ? "descending" : "ascending"}` : `${rows}, in the order of the data`;
  }

  destroy(): void {
    this.observer.disconnect();
    clearTimeout(this.settling);
  }
}

function positionOf(event: Event): number | null {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>(".row") : null;
  return row ? Number(row.dataset.at) : null;
}
