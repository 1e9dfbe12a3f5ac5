// A selection as a CSV file.

import type { Content } from "./content";

/** Items as CSV: kind, name, position within the kind, and coordinates. */
export function toCsv(content: Content, items: readonly number[]): string {
  const rows = items.map((item) => {
    const domain = content.domain(item);
    const [x, y] = content.coordinates(item);
    return [domain.about.name, content.name(item), item - domain.start, x.toPrecision(8), y.toPrecision(8)];
  });
  return [["kind", "item", "position", "x", "y"], ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
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
