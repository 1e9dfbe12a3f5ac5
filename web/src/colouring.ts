// The colour of each item: by kind, by category, by number, or by how well it is placed.

import { type Content, type Column, MISSING } from "./content";
import { formatDay, formatValue } from "./format";
import { isSkewed } from "./histogram";
import { CATEGORIES, OTHER, type Theme, domainColour, rampColour } from "./themes";

const STEPS = 64; // of the ramp for numbers
export const PLACED = "placed"; // keys of the options that colour all kinds
export const REGION = "region";
const SHADES = [0, 0.22, -0.16, 0.38, -0.3]; // of a region's colour for its parts, towards white or black
const OUTLIER_RATIO = 3; // of the whole range to that of the middle 96 %, from which the ramp covers only the middle

const LOW_HALF = 0.25; // share of the ramp's range that half of the values are within, for a ramp of logarithms

interface LegendEntry {
  colour: string;
  label: string;
  count: number;
}

export interface Colouring {
  palette: string[];
  codes: Uint8Array | Uint16Array; // for each item, a position in the palette
  entries: LegendEntry[]; // for categories
  range: [string, string] | null; // for numbers, the labels of both ends of the ramp
}

interface ColourOption {
  key: string; // "" for kinds, REGION, PLACED, or the positions of a kind and of its column
  label: string;
}

export function colourOptions(content: Content): ColourOption[] {
  const found: ColourOption[] = [{ key: "", label: "Kind" }];
  if (content.regions.all.length) found.push({ key: REGION, label: "Region" });
  if (content.domains.some((domain) => domain.about.placed !== null)) found.push({ key: PLACED, label: content.about.placedTitle ?? "How well placed" });
  content.domains.forEach((domain, index) => {
    domain.about.columns.forEach((column, position) => {
      if (column.kind === "text" || position === domain.about.placed) return; // of texts nearly every item has its own
      const several = content.domains.length > 1 ? ` (${domain.about.name})` : "";
      found.push({ key: `${index}.${position}`, label: column.name + several });
    });
  });
  return found;
}

const last = new WeakMap<Content, { key: string; theme: Theme; colouring: Colouring }>();

/** The colours of all items, computed once for the map and its legend. */
export function colouringOf(content: Content, key: string, theme: Theme): Colouring {
  const known = last.get(content);
  if (known?.key === key && known.theme === theme) return known.colouring;
  const colouring = computed(content, key, theme);
  if (key) last.set(content, { key, theme, colouring }); // kinds take no time
  return colouring;
}

function computed(content: Content, key: string, theme: Theme): Colouring {
  if (key === PLACED) return byPlacement(content, theme);
  if (key === REGION) return byRegion(content, theme);
  const [index, position] = key.split(".").map(Number);
  const domain = key ? content.domains[index] : undefined;
  const column = domain?.columns[position];
  if (!domain || !column || column.kind === "text") {
    const palette = content.domains.map((_, number) => domainColour(theme, number));
    return { palette, codes: content.domainOf, entries: [], range: null };
  }
  const codes = new Uint8Array(content.count);
  const own = codes.subarray(domain.start, domain.start + domain.count);
  return column.categories ? byCategory(column, codes, own, theme) : byNumber(column, codes, own, theme);
}

/** All kinds on one scale from 0 to 1. */
function byPlacement(content: Content, theme: Theme): Colouring {
  const codes = new Uint8Array(content.count);
  for (const domain of content.domains) {
    const column = domain.about.placed === null ? undefined : domain.columns[domain.about.placed];
    column?.values.forEach((value, item) => {
      if (!Number.isNaN(value)) codes[domain.start + item] = 1 + Math.round(value * (STEPS - 1));
    });
  }
  return { palette: [theme.muted, ...ramp()], codes, entries: [], range: ["0 (badly)", "1 (well)"] };
}

/** Each region of the overview in a colour of its own, as far as there are any, and its parts in shades of it. */
function byRegion({ regions, count }: Content, theme: Theme): Colouring {
  const palette = new Array<string>(1 + regions.all.length).fill(theme.muted);
  const given: { colour: string; x: number; y: number }[] = [];
  for (const { index, x, y } of [...regions.top].sort((a, b) => b.count - a.count)) {
    // the farther away a region has the same colour, the better
    const away = (colour: string) => Math.min(...given.filter((each) => each.colour === colour).map((each) => Math.hypot(each.x - x, each.y - y)));
    const colour = CATEGORIES.reduce((best, each) => (away(each) > away(best) ? each : best));
    given.push({ colour, x, y });
    palette[1 + index] = colour;
  }
  for (const { index, parts } of regions.all) {
    parts.forEach((part, at) => (palette[1 + part] = shade(palette[1 + index], SHADES[at % SHADES.length])));
  }
  const codes = Uint16Array.from({ length: count }, (_, item) => 1 + regions.of(item)); // 0 for those in none
  return { palette, codes, entries: [], range: null };
}

/** A colour mixed with white or, where the share is negative, with black. */
function shade(colour: string, share: number): string {
  const end = share > 0 ? 255 : 0;
  const mixed = [1, 3, 5].map((from) => {
    const own = parseInt(colour.slice(from, from + 2), 16);
    return Math.round(own + (end - own) * Math.abs(share));
  });
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function ramp(): string[] {
  return Array.from({ length: STEPS }, (_, step) => rampColour(step / (STEPS - 1)));
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
  return { palette: [theme.muted, ...CATEGORIES.slice(0, known), OTHER], codes, entries, range: null };
}

function byNumber(column: Column, codes: Uint8Array, own: Uint8Array, theme: Theme): Colouring {
  const sorted = Float32Array.from(column.values.filter((value) => !Number.isNaN(value))).sort();
  const at = (share: number, round: (rank: number) => number) => sorted[round(share * (sorted.length - 1))];
  let [low, high] = [sorted[0], sorted[sorted.length - 1]];
  const [most, median, least] = [at(0.98, Math.floor), at(0.5, Math.floor), at(0.02, Math.ceil)];
  const positive = sorted.find((value) => value > 0) ?? 1;
  const skewed = column.kind !== "date" && isSkewed(low, median, high, positive);
  const clipped = high - low > OUTLIER_RATIO * (most - least) && most > least;
  if (clipped) [low, high] = [least, most];
  const log = skewed && median - low < LOW_HALF * (high - low); // and not only for a few outliers
  const scale = log ? (value: number) => Math.log(value + positive) : (value: number) => value;
  const [start, end] = [scale(low), scale(high)];
  column.values.forEach((value, item) => {
    if (Number.isNaN(value)) return;
    const share = Math.min(1, Math.max(0, (scale(Math.max(value, low)) - start) / (end - start || 1)));
    own[item] = 1 + Math.round(share * (STEPS - 1));
  });
  return { palette: [theme.muted, ...ramp()], codes, entries: [], range: rangeLabels(column, low, high, clipped, log) };
}

function rangeLabels(column: Column, low: number | undefined, high: number, clipped: boolean, log: boolean): [string, string] | null {
  if (low === undefined) return null;
  const label = column.kind === "date" ? formatDay : formatValue;
  const [first, last] = clipped ? [`≤ ${label(low)}`, `≥ ${label(high)}`] : [label(low), label(high)];
  return [first, log ? `${last} (log)` : last];
}
