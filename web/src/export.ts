// A selection as a CSV file.

import type { Content } from "./content";

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
  return [heading, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

function field(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
