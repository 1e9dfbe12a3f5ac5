// A rule in a few words.

import type { Column } from "./content";
import type { Rule } from "./filters";
import { formatDay, formatValue, singleLine } from "./format";

export function ruleText(column: Column, rule: Rule): string {
  if (rule.kind === "text") return `“${singleLine(rule.text)}”`;
  if (rule.kind === "category") {
    const all = column.categories ?? [];
    const on = all.length - rule.off.size;
    if (on === 1) return singleLine(all.find((_, code) => !rule.off.has(code)) ?? "");
    return rule.off.size ? `${on} of ${all.length}` : "with a value";
  }
  const format = (value: number) => (column.kind === "date" ? formatDay(value) : formatValue(value));
  const { from, to } = rule;
  if (from === -Infinity) return to === Infinity ? "with a value" : `≤ ${format(to)}`;
  return to === Infinity ? `≥ ${format(from)}` : from === to ? format(from) : `${format(from)} – ${format(to)}`;
}
