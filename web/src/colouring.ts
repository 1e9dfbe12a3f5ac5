// Which colour each item has: its domain's, or that of a category or a number.

import { type Content, type Column, MISSING } from "./content";
import { CATEGORIES, OTHER, type Theme, domainColour, rampColour } from "./themes";

const STEPS = 64; // of the ramp for numbers

export interface LegendEntry {
  colour: string;
  label: string;
  count: number;
}

export interface Colouring {
  palette: string[];
  codes: Uint8Array; // of each item, a position in the palette
  entries: LegendEntry[]; // of categories
  range: [number, number] | null; // of numbers
}

export interface Choice {
  key: string; // "" for domains
  label: string;
}

export function choices(content: Content): Choice[] {
  const found: Choice[] = [{ key: "", label: "Kind" }];
  content.domains.forEach((domain, index) => {
    domain.about.columns.forEach((column, position) => {
      const several = content.domains.length > 1 ? ` (${domain.about.name})` : "";
      found.push({ key: `${index}.${position}`, label: column.name + several });
    });
  });
  return found;
}

export function colouringOf(content: Content, key: string, theme: Theme): Colouring {
  const [index, position] = key.split(".").map(Number);
  const domain = key ? content.domains[index] : undefined;
  const column = domain?.columns[position];
  if (!domain || !column) {
    const palette = content.domains.map((_, number) => domainColour(theme, number));
    return { palette, codes: content.domainOf, entries: [], range: null };
  }
  const codes = new Uint8Array(content.count);
  const own = codes.subarray(domain.start, domain.start + domain.count);
  return column.categories ? byCategory(column, codes, own, theme) : byNumber(column, codes, own, theme);
}

function byCategory(column: Column, codes: Uint8Array, own: Uint8Array, theme: Theme): Colouring {
  const names = column.categories ?? [];
  const known = Math.min(names.length, CATEGORIES.length);
  const counts = new Array<number>(known + 1).fill(0);
  column.values.forEach((code, item) => {
    if (code === MISSING) return;
    own[item] = 1 + Math.min(code, known);
    counts[Math.min(code, known)]++;
  });
  const entries = names.slice(0, known).map((label, code) => ({ colour: CATEGORIES[code], label, count: counts[code] }));
  if (counts[known]) entries.push({ colour: OTHER, label: `${names.length - known} more`, count: counts[known] });
  return { palette: [theme.faint, ...CATEGORIES.slice(0, known), OTHER], codes, entries, range: null };
}

function byNumber(column: Column, codes: Uint8Array, own: Uint8Array, theme: Theme): Colouring {
  let [low, high] = [Infinity, -Infinity];
  for (const value of column.values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  column.values.forEach((value, item) => {
    if (!Number.isNaN(value)) own[item] = 1 + Math.round(((value - low) / (high - low || 1)) * (STEPS - 1));
  });
  const ramp = Array.from({ length: STEPS }, (_, step) => rampColour(step / (STEPS - 1)));
  return { palette: [theme.faint, ...ramp], codes, entries: [], range: low <= high ? [low, high] : null };
}
