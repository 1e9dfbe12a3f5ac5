// Filters by the names of kinds and columns, as addresses and notebooks have them; src/mrsne/viewer/filters.py reads the same.

import { type Column, type Content } from "./content";
import { type Filters, type Rule, columnOf, isVoid } from "./filters";
import { formatDay } from "./format";

/** Of a number or date, ends that belong to it; of a category, those that pass or do not; of a text, words. */
interface RuleWords {
  from?: number | string;
  to?: number | string;
  only?: string[];
  except?: string[];
  missing?: boolean; // whether items without a value pass
  contains?: string;
}

type FilterWords = Record<string, Record<string, RuleWords>>;

export function filterWords(content: Content, { rules }: Filters): FilterWords {
  const found = new Map<string, [string, RuleWords][]>();
  for (const [key, rule] of rules) {
    const at = columnOf(content, key);
    if (!at) continue;
    const { name } = at.domain.about;
    const own: [string, RuleWords] = [at.column.name, ruleWords(at.column, rule)];
    found.set(name, [...(found.get(name) ?? []), own]);
  }
  // entries, since assigning would not do for a kind or a column called __proto__
  return Object.fromEntries([...found].map(([name, own]) => [name, Object.fromEntries(own)]));
}

function ruleWords(column: Column, rule: Rule): RuleWords {
  if (rule.kind === "text") return { contains: rule.text };
  if (rule.kind === "range") {
    const end = (value: number) => (column.kind === "date" ? dayWords(value) : value);
    return {
      ...(rule.from === -Infinity ? {} : { from: end(rule.from) }),
      ...(rule.to === Infinity ? {} : { to: end(rule.to) }),
      missing: rule.missing,
    };
  }
  const all = column.categories ?? [];
  const named = (wanted: boolean) => all.filter((_, code) => rule.off.has(code) === wanted);
  const words = 2 * rule.off.size > all.length ? { only: named(false) } : { except: named(true) };
  return { ...words, missing: rule.missing };
}

function dayWords(day: number): string | number {
  const text = formatDay(day);
  return /^\d{4}-/.test(text) ? text : Math.floor(day);
}

/** The rules of anything that may come in an address: what the map does not have or does not understand is left out. */
export function rulesOf(content: Content, words: unknown): Map<string, Rule> {
  const found = new Map<string, Rule>();
  for (const domain of content.domains) {
    const own = entry(words, domain.about.name);
    domain.columns.forEach((column, position) => {
      const rule = ruleOf(column, entry(own, column.name));
      if (rule && !isVoid(rule)) found.set(`${domain.index}.${position}`, rule);
    });
  }
  return found;
}

/** What something has under a name itself, and does not inherit. */
export function entry(owner: unknown, name: string): unknown {
  return typeof owner === "object" && owner !== null && Object.hasOwn(owner, name) ? (owner as Record<string, unknown>)[name] : undefined;
}

function ruleOf(column: Column, words: unknown): Rule | null {
  if (typeof words !== "object" || words === null || Array.isArray(words)) return null;
  const { from, to, only, except, missing, contains } = words as Record<string, unknown>;
  if (column.kind === "text") return typeof contains === "string" && contains.trim() ? { kind: "text", text: contains } : null;
  if (column.categories) return categoryRule(column.categories, only, except, missing);
  const [low, high] = [endOf(column, from, -Infinity), endOf(column, to, Infinity)];
  if (low === null || high === null || low > high || (low === -Infinity && high === Infinity && missing !== false)) return null;
  return { kind: "range", from: low, to: high, missing: missing === true };
}

function categoryRule(categories: string[], only: unknown, except: unknown, missing: unknown): Rule | null {
  const codes = (names: unknown[]) => {
    const wanted = new Set(names);
    return categories.flatMap((name, code) => (wanted.has(name) ? [code] : []));
  };
  if (Array.isArray(only)) {
    const off = new Set(categories.keys());
    const on = codes(only);
    if (only.length && !on.length) return null; // names that the map does not have
    for (const code of on) off.delete(code);
    return { kind: "category", off, missing: missing === true };
  }
  const off = new Set(Array.isArray(except) ? codes(except) : []);
  return off.size || missing === false ? { kind: "category", off, missing: missing !== false } : null;
}

/** The end of a range; null for what is none. */
function endOf(column: Column, value: unknown, open: number): number | null {
  if (value === undefined || value === null) return open;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (column.kind !== "date" || typeof value !== "string" || !/^\d{4}-\d\d-\d\d$/.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time / 86_400_000;
}
