// Numbers and names as text.

const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0, useGrouping: false });
const VALUE = new Intl.NumberFormat("en", { maximumSignificantDigits: 6, useGrouping: false });

/** A count: 12,345. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** A value of a column or a weight, without separators (the year 2001), fractions to six digits. */
export function formatValue(value: number): string {
  if (Math.abs(value) >= 1e15 || (value !== 0 && Math.abs(value) < 1e-4)) return String(Number(value.toPrecision(6)));
  return Number.isInteger(value) ? WHOLE.format(value) : VALUE.format(value);
}

/** A number with four digits, or all of its whole part, that is not below the given one, or not above it. */
export function roundOut(value: number, up: boolean): number {
  if (!Number.isFinite(value) || value === 0) return value;
  const decimals = Math.min(100, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value)))));
  const nearest = Number(value.toFixed(decimals));
  const step = up ? Number(nearest < value) : -Number(nearest > value);
  return Number((nearest + step * 10 ** -decimals).toFixed(decimals));
}

/** A date, from days since 1970: 2001-05-17. */
export function formatDay(days: number): string {
  const date = new Date(Math.floor(days) * 86_400_000);
  return Number.isNaN(date.getTime()) ? "–" : date.toISOString().slice(0, date.getUTCFullYear() > 9999 ? 13 : 10);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A share in per cent, such that a little never reads as nothing and nearly all never as all. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.01) return "below 1 %";
  return share > 0.99 && share < 1 ? "over 99 %" : `${Math.round(100 * share)} %`;
}

/** A name on one line, or a placeholder where it is blank. */
export function singleLine(text: string): string {
  return text.replace(/\s+/g, " ").trim() || "(no name)";
}
