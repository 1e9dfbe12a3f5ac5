// The rows and columns of the table: which items it lists, what it tells of them, and in which order.

import type { Box } from "./camera";
import type { Column, Content, Domain } from "./content";
import { formatCount, singleLine } from "./format";
import { NO_REGION } from "./regions";
import { MISSING_KEY, type Pause, keysBy, numberKeys, sortedByKey, textKeys } from "./sorting";
import { shownValue } from "./values";

export interface Sort {
  key: string; // of a column
  descending: boolean;
}

/** What the user has chosen; `kind` is the position of a domain, or -1 as long as none is chosen. */
export interface TableChoice {
  open: boolean;
  kind: number;
  sort: Sort | null; // null: in the order of the data
}

export const CLOSED: TableChoice = { open: false, kind: -1, sort: null };

export interface TableColumn {
  key: string; // name, id, links, region, or the position of a column of the data
  title: string;
  numeric: boolean;
  column: Column | null; // of the data
  text(item: number): string;
}

/** The columns of a kind: what it is called, how it is linked, its data, and where it is. */
export function columnsOf(content: Content, domain: Domain): TableColumn[] {
  const { regions, links } = content;
  const plain = { numeric: false, column: null };
  const found: TableColumn[] = [{ ...plain, key: "name", title: "Name", text: (item) => singleLine(content.name(item)) }];
  const { ids } = domain;
  if (ids) found.push({ ...plain, key: "id", title: "Id", text: (item) => singleLine(ids[item - domain.start]) });
  if (content.hasLinks) found.push({ ...plain, key: "links", title: "Links", numeric: true, text: (item) => formatCount(links.degree(item)) });
  const own = domain.columns.map((column, position) => ({
    key: String(position),
    title: singleLine(column.name),
    numeric: column.kind === "number" || column.kind === "date",
    column,
    text: (item: number) => singleLine(shownValue(column, item - domain.start)),
  }));
  found.push(...own.filter((_, position) => position !== domain.about.placed));
  if (regions.all.length) found.push({ ...plain, key: "region", title: "Region", text: (item) => regionName(content, item) });
  if (domain.about.placed !== null) found.push(own[domain.about.placed]);
  return found;
}

function regionName(content: Content, item: number): string {
  const region = content.regions.of(item);
  return region === NO_REGION ? "–" : singleLine(content.regions.all[region].name);
}

/** The items that a table lists, of each kind in the order of the data: those selected or, where none is, those in view. */
export function listItems(content: Content, selection: readonly number[], box: Box, isShown: (item: number) => boolean): Uint32Array[] {
  const found = new Uint32Array(selection.length || content.count);
  let count = 0;
  if (selection.length) {
    for (const item of new Set(selection)) if (isShown(item)) found[count++] = item;
    found.subarray(0, count).sort();
  } else {
    const { x, y } = content;
    for (let item = 0; item < content.count; item++) {
      const inside = x[item] >= box.x0 && x[item] <= box.x1 && y[item] >= box.y0 && y[item] <= box.y1;
      if (inside && isShown(item)) found[count++] = item;
    }
  }
  const listed = found.subarray(0, count);
  let from = 0;
  return content.domains.map(({ start, count: size }) => {
    let to = from;
    while (to < count && listed[to] < start + size) to++;
    const own = listed.slice(from, to);
    from = to;
    return own;
  });
}

/** The kind that is shown: the one that was chosen or, where it has no rows, the first that has some. */
export function shownKind(listed: Uint32Array[], chosen: number): number {
  if (listed[chosen]?.length) return chosen;
  const first = listed.findIndex((items) => items.length > 0);
  return first >= 0 ? first : chosen in listed ? chosen : 0;
}

/** Sorts items by columns, whose keys it keeps. */
export class Sorter {
  private readonly keys = new Map<string, Promise<Uint32Array>>();

  constructor(
    private readonly content: Content,
    private readonly pause?: Pause,
  ) {}

  async sorted(domain: Domain, items: Uint32Array, sort: Sort | null): Promise<Uint32Array> {
    if (!sort) return items;
    const name = `${domain.index}.${sort.key}`;
    if (!this.keys.has(name)) this.keys.set(name, this.keysOf(domain, sort.key));
    const keys = await this.keys.get(name)!;
    return sortedByKey(items, (item) => keys[item - domain.start], sort.descending);
  }

  /** A key for each item of a kind. */
  private async keysOf(domain: Domain, key: string): Promise<Uint32Array> {
    const { content } = this;
    const { start, count, names, ids } = domain;
    if (key === "name" && !names) return keysBy(count, (own) => own); // they are numbered
    if (key === "name") return textKeys(names!, this.pause);
    if (key === "id") return textKeys(ids!, this.pause);
    if (key === "links") return keysBy(count, (own) => content.links.degree(start + own));
    if (key === "region") {
      const ranks = await textKeys(content.regions.all.map((region) => region.name), this.pause);
      return keysBy(count, (own) => ranks[content.regions.of(start + own)] ?? MISSING_KEY);
    }
    const column = domain.columns[Number(key)];
    if (column.kind === "text") return textKeys(column.texts, this.pause);
    if (!column.categories) return numberKeys(column.values);
    const ranks = await textKeys(column.categories, this.pause);
    return keysBy(count, (own) => ranks[column.values[own]] ?? MISSING_KEY);
  }
}

/** A sort as it is written into an address, and back. */
export function formatSort(sort: Sort | null): string {
  return sort ? `${sort.descending ? "-" : ""}${sort.key}` : "";
}

export function parseSort(content: Content, kind: number, text: string | null): Sort | null {
  const domain = content.domains[kind];
  const key = text?.replace(/^-/, "");
  if (!domain || !columnsOf(content, domain).some((column) => column.key === key)) return null;
  return { key: key!, descending: text!.startsWith("-") };
}

/** The order after a click on a heading: ascending, descending, then as in the data again. */
export function nextSort(sort: Sort | null, key: string): Sort | null {
  if (sort?.key !== key) return { key, descending: false };
  return sort.descending ? null : { key, descending: true };
}
