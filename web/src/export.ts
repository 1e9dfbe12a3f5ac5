// Items and their links as CSV files. Values are written unchanged, since other programs read them.

import type { Column, Content, Domain } from "./content";
import { formatDay } from "./format";
import { NO_REGION } from "./regions";
import { isMissing } from "./values";

type Field = string | number;

const LINES = 20_000; // that are one part of a file

/** Items as CSV: kind, name, position within the kind, coordinates and, where names are not ids, the ids. */
export function toCsv(content: Content, items: readonly number[]): string {
  const identified = content.domains.some((domain) => domain.ids);
  const heading = ["kind", "item", "position", "x", "y", ...(identified ? ["id"] : [])];
  const rows = items.map((item) => {
    const domain = content.domain(item);
    const [x, y] = content.coordinates(item);
    const row = [domain.about.name, content.name(item), item - domain.start, x.toPrecision(8), y.toPrecision(8)];
    return identified ? [...row, content.id(item) ?? ""] : row;
  });
  return [heading, ...rows].map(line).join("");
}

/** Items of one kind with all that is known of them, under the headings of mrsne export; parts of a CSV file. */
export function itemsCsv(content: Content, domain: Domain, items: Uint32Array): string[] {
  const { links, regions, hasLinks } = content;
  const regional = regions.all.length > 0;
  const heading = ["kind", "id", "label", "x", "y", ...(hasLinks ? ["links"] : []), ...(regional ? ["region"] : [])];
  for (const { name } of domain.columns) heading.push(heading.includes(name) ? `${name} (column)` : name);
  return inParts(heading, items, function* (item) {
    const own = item - domain.start;
    const [x, y] = content.coordinates(item);
    const row: Field[] = [domain.about.name, idOf(content, item), domain.names?.[own] ?? idOf(content, item), x.toPrecision(8), y.toPrecision(8)];
    if (hasLinks) row.push(links.degree(item));
    const region = regions.of(item);
    if (regional) row.push(region === NO_REGION ? "" : regions.all[region].name);
    yield [...row, ...domain.columns.map((column) => exportedValue(column, own))];
  });
}

/** The links of items, each once, under the headings of mrsne export --links: the item of the list, then the other. */
export function linksCsv(content: Content, items: Uint32Array): string[] {
  const { links, domains, domainOf } = content;
  const done = new Set<number>();
  return inParts(["kind", "id", "linked_kind", "linked_id", "weight"], items, function* (item) {
    for (let at = links.starts[item]; at < links.starts[item + 1]; at++) {
      const other = links.targets[at];
      if (done.has(other)) continue; // it has been written from the other end
      const ends = [item, other].flatMap((end) => [domains[domainOf[end]].about.name, idOf(content, end)]);
      yield [...ends, shortest(links.weights[at])];
    }
    done.add(item);
  });
}

/** Links between two kinds as a table that mrsne reads: a row for each, with what its ends are called. */
export function linkTable(content: Content, heading: [string, string], links: readonly number[][]): string {
  return [heading, ...links.map((ends) => ends.map((end) => idOf(content, end)))].map(line).join("");
}

/** What an item is called in other files: its id or name or, where it has none, its position. */
function idOf(content: Content, item: number): string {
  return content.id(item) ?? String(item - content.domain(item).start);
}

function exportedValue(column: Column, own: number): Field {
  if (isMissing(column, own)) return "";
  if (column.kind === "text") return column.texts[own]!;
  const value = column.values[own];
  if (column.categories) return column.categories[value];
  return column.kind === "date" ? formatDay(value) : shortest(value);
}

/** The shortest number that is the same in single precision: 0.1, not 0.10000000149011612. */
export function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return Number(value.toPrecision(9));
}

function inParts(heading: Field[], items: Uint32Array, rows: (item: number) => Iterable<Field[]>): string[] {
  const parts: string[] = [];
  let lines = [line(heading)];
  for (const item of items) {
    for (const row of rows(item)) lines.push(line(row));
    if (lines.length < LINES) continue;
    parts.push(lines.join(""));
    lines = [];
  }
  return [...parts, lines.join("")];
}

function line(row: Field[]): string {
  return `${row.map(field).join(",")}\r\n`;
}

function field(value: Field): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function download(name: string, ...parts: string[]): void {
  const address = URL.createObjectURL(new Blob(["\ufeff", ...parts], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The command that copies the pictures of a list which was saved as items.csv, or those of a region. */
export function copyCommand(region: string | null, map = "map.npz"): string {
  const chosen = isPlain(region) ? `--region "${region}"` : "--items items.csv";
  return `mrsne export ${map} ${chosen} --copy pictures`;
}

/** The map beside a page at this address, as mrsne map writes both: photos.npz for photos.html. */
export function mapBeside(address: string): string {
  const file = /([^/]+)\.html?$/i.exec(decoded(address))?.[1] ?? null;
  return isPlain(file) && !/[ ,]/.test(file) ? `${file}.npz` : "map.npz";
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return "";
  }
}

// without modifier letters, which look like quotes and other signs
const LETTERS = "\\p{Lu}\\p{Ll}\\p{Lt}\\p{Lo}\\p{Nd}";
const PLAIN = new RegExp(`^[${LETTERS}]([${LETTERS} ,._-]*[${LETTERS}._-])?$`, "u");

/** Whether a name means nothing but itself to every shell: anybody may have chosen it, and no quotes are safe in all. */
export function isPlain(name: string | null): name is string {
  return name !== null && PLAIN.test(name);
}
