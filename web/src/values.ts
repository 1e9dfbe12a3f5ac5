// Values of columns as text.

import { type Column, MISSING } from "./content";
import { formatDay, formatValue } from "./format";

/** Whether an item has no value in a column; a blank text is none. */
export function isMissing(column: Column, own: number): boolean {
  if (column.kind === "text") return !column.texts[own]?.trim();
  return column.categories ? column.values[own] === MISSING : Number.isNaN(column.values[own]);
}

/** A value of a column as text, a dash where there is none. */
export function shownValue(column: Column, own: number): string {
  if (isMissing(column, own)) return "–";
  if (column.kind === "text") return column.texts[own]!;
  const value = column.values[own];
  if (column.categories) return column.categories[value];
  if (column.decimals !== undefined) return value.toFixed(column.decimals);
  return column.kind === "date" ? formatDay(value) : formatValue(value);
}
