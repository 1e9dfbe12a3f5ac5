// Bins of a column of numbers or dates, at round values, on a linear or a logarithmic scale.

import { type Column } from "./content";

const MOST_BINS = 40;
export const NO_BIN = 255; // the code of an item without a value
const FEWEST_DECADES = 2; // from the smallest positive value to the largest, for a scale to be logarithmic
const SKEWED = 0.15; // share of the range that half of the values are within, for it to be so at first
const EXACT = 2 ** 24; // up to which single precision has all integers
const SAMPLE = 20_000; // values that tell whether it is
const MANTISSAS = [[1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8], [1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3]];
const DECADES = [3.5, 6.5, 12]; // up to which the first three of these are used

/** The values of a column in short. */
interface Summary {
  low: number;
  high: number;
  positive: number; // the smallest positive value
  whole: boolean; // whether all values are integers, or days
  missing: number; // how many items have none
  fitsLog: boolean;
  skewed: boolean; // so much that a logarithmic scale shows more
}

export interface Bins {
  edges: number[]; // one more than bins; each bin has its lower edge, and not its upper one
  codes: Uint8Array; // the bin of each item
  totals: Uint32Array;
  whole: boolean;
  below: Float32Array; // the largest value below each edge; NaN where no value is equal to the edge
}

/** A summary; null where no item has a value. */
export function summaryOf({ kind, values }: Column): Summary | null {
  const isDate = kind === "date";
  let [low, high, positive, missing, whole] = [Infinity, -Infinity, Infinity, 0, true];
  for (let own = 0; own < values.length; own++) {
    const value = isDate ? Math.floor(values[own]) : values[own];
    if (value !== value) {
      missing++;
      continue;
    }
    if (value < low) low = value;
    if (value > high) high = value;
    if (value > 0 && value < positive) positive = value;
    whole &&= Number.isInteger(value);
  }
  if (low > high) return null;
  whole &&= Math.max(-low, high) < EXACT;
  const fitsLog = !isDate && spansDecades(low, high, positive);
  return { low, high, positive, whole, missing, fitsLog, skewed: fitsLog && isSkewed(low, medianOf(values), high, positive) };
}

function spansDecades(low: number, high: number, positive: number): boolean {
  return low >= 0 && high >= 10 ** FEWEST_DECADES * positive;
}

/** Whether a logarithmic scale shows more of numbers with these ends, this median and this smallest positive one. */
export function isSkewed(low: number, median: number, high: number, positive: number): boolean {
  return spansDecades(low, high, positive) && median - low < SKEWED * (high - low);
}

function medianOf(values: ArrayLike<number>): number {
  const step = Math.max(1, Math.floor(values.length / SAMPLE));
  const sample: number[] = [];
  for (let own = 0; own < values.length; own += step) if (values[own] === values[own]) sample.push(values[own]);
  return sample.sort((a, b) => a - b)[Math.floor(sample.length / 2)];
}

export function edgesOf({ low, high, positive, whole }: Summary, kind: Column["kind"], log: boolean): number[] {
  if (kind === "date" && whole) return dayEdges(low, high);
  if (log) return logEdges(low, positive, high, whole);
  if (low === high) return [low, low + (whole ? 1 : Math.abs(low) || 1)];
  const step = roundStep((high - low) / (MOST_BINS - 1), whole);
  const first = Math.floor(low / step);
  const edges: number[] = [];
  for (let at = first; ; at++) {
    edges.push(Number((at * step).toPrecision(12)));
    if (edges[edges.length - 1] > high) return edges;
  }
}

/** The next step that is 1, 2 or 5 times a power of ten. */
function roundStep(least: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= least * (1 - 1e-9))!;
  return whole ? Math.max(1, step) : step;
}

function logEdges(low: number, positive: number, high: number, whole: boolean): number[] {
  const decades = Math.log10(high / positive);
  const at = DECADES.findIndex((most) => decades <= most);
  const mantissas = MANTISSAS[at < 0 ? MANTISSAS.length - 1 : at];
  const edges: number[] = [];
  for (let power = Math.floor(Math.log10(positive)); !(edges[edges.length - 1] > high); power++) {
    for (const mantissa of mantissas) {
      const edge = Number(`${mantissa}e${power}`);
      if ((!whole || Number.isInteger(edge)) && !(edges[edges.length - 1] > high)) edges.push(edge);
    }
  }
  while (edges[1] <= positive) edges.shift();
  return low === 0 ? [0, ...edges] : edges;
}

const DAY = 86_400_000;
const DAY_STEPS = [1, 2, 7, 14];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000, 120_000, 1_200_000];

/** Edges at days, weeks, months or years. */
function dayEdges(low: number, high: number): number[] {
  const days = DAY_STEPS.find((step) => (high - low) / step < MOST_BINS - 1);
  if (days) {
    const first = low - (((low % days) + days) % days);
    return Array.from({ length: Math.floor((high - first) / days) + 2 }, (_, at) => first + at * days);
  }
  const monthOf = (day: number) => {
    const date = new Date(day * DAY);
    return 12 * date.getUTCFullYear() + date.getUTCMonth();
  };
  const [from, to] = [monthOf(low), monthOf(high)];
  const step = MONTH_STEPS.find((each) => (to - from) / each < MOST_BINS - 1) ?? MONTH_STEPS[MONTH_STEPS.length - 1];
  const first = Math.floor(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 2 }, (_, at) => startOfMonth(first + at * step));
}

function startOfMonth(months: number): number {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(months / 12), ((months % 12) + 12) % 12, 1);
  return date.getTime() / DAY;
}

export function binned({ kind, values }: Column, edges: number[], whole: boolean): Bins {
  const isDate = kind === "date";
  const limits = Float32Array.from(edges); // as the values are
  const codes = new Uint8Array(values.length);
  const bins = edges.length - 1;
  const totals = new Uint32Array(bins);
  const largest = new Float32Array(bins).fill(NaN);
  const touched = new Uint8Array(bins + 1);
  for (let own = 0; own < values.length; own++) {
    const value = isDate ? Math.floor(values[own]) : values[own];
    if (value !== value) {
      codes[own] = NO_BIN;
      continue;
    }
    let [from, to] = [0, bins];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if (value < limits[middle]) to = middle;
      else from = middle;
    }
    codes[own] = from;
    totals[from]++;
    if (!(value <= largest[from])) largest[from] = value;
    if (value === limits[from]) touched[from] = 1;
  }
  const below = new Float32Array(bins + 1).fill(NaN);
  for (let edge = 1, most = NaN; edge <= bins; edge++) {
    if (largest[edge - 1] === largest[edge - 1]) most = largest[edge - 1];
    if (touched[edge]) below[edge] = most;
  }
  return { edges, codes, totals, whole, below };
}

/** The values between two edges, both ends belonging to them: at the ends of the scale it is open. */
export function valuesBetween({ edges, whole, below }: Bins, first: number, last: number): { from: number; to: number } {
  const from = first <= 0 ? -Infinity : edges[first];
  if (last >= edges.length - 1) return { from, to: Infinity };
  const edge = edges[last];
  if (whole) return { from, to: Math.ceil(edge) - 1 };
  if (below[last] !== below[last]) return { from, to: edge };
  return { from, to: below[last] >= from ? below[last] : Math.max(from, justBelow(edge)) }; // else no value is between them
}

/** The next lower number in single precision. */
function justBelow(value: number): number {
  const single = Math.fround(value);
  if (single === 0) return -(2 ** -149);
  const bits = new Int32Array(Float32Array.of(single).buffer);
  bits[0] += single > 0 ? -1 : 1;
  return new Float32Array(bits.buffer)[0];
}

/** Where between the edges the lower or the upper end of a range is, from 0 to the number of bins. */
export function placeOf({ edges, whole, below }: Bins, value: number, upper: boolean): number {
  const last = edges.length - 1;
  if (value === -Infinity || value === Infinity) return value < 0 ? 0 : last;
  if (upper) {
    const same = below.findIndex((each) => each === Math.fround(value));
    if (same > 0 && !whole) return same;
  }
  const end = upper && whole ? Math.floor(value) + 1 : value;
  if (end <= edges[0]) return 0;
  for (let at = 0; at < last; at++) if (end < edges[at + 1]) return at + (end - edges[at]) / (edges[at + 1] - edges[at]);
  return last;
}
