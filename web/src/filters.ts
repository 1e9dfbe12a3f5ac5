// What of the map passes: rules for columns, which combine. A rule for a column of one kind concerns that kind only.

import { type Column, type Content, type Domain, MISSING } from "./content";
import { fold } from "./search";

/** Categories but those switched off. */
interface CategoryRule {
  kind: "category";
  off: ReadonlySet<number>; // codes
  missing: boolean; // whether items without a value pass
}

/** Numbers, or dates in days since 1970, between two ends that belong to it. */
export interface RangeRule {
  kind: "range";
  from: number; // -Infinity where it is open
  to: number;
  missing: boolean;
}

/** Texts with all of some words. */
interface TextRule {
  kind: "text";
  text: string;
}

export type Rule = CategoryRule | RangeRule | TextRule;

export interface Filters {
  rules: ReadonlyMap<string, Rule>; // by the positions of a kind and of its column, as in colouring.ts
  linked: boolean; // whether kinds without rules show only what is linked to something that passes
}

export const NO_FILTERS: Filters = { rules: new Map(), linked: false };

/** The column of a key; null where the map has none. */
export function columnOf(content: Content, key: string): { domain: Domain; column: Column } | null {
  const [index, position] = key.split(".").map(Number);
  const domain = content.domains[index];
  const column = domain?.columns[position];
  return column ? { domain, column } : null;
}

/** Filters with another rule for a column; a rule that everything passes is none. */
export function withRule(filters: Filters, key: string, rule: Rule | null): Filters {
  const rules = new Map(filters.rules);
  if (rule && !isVoid(rule)) rules.set(key, rule);
  else rules.delete(key);
  return { ...filters, rules };
}

export function isVoid(rule: Rule): boolean {
  if (rule.kind === "text") return !rule.text.trim();
  if (rule.kind === "category") return rule.off.size === 0 && rule.missing;
  return isOpen(rule) && rule.missing;
}

/** A rule for categories after some have been switched on or off. */
export function switched(rule: Rule | undefined, codes: Iterable<number>, on: boolean): CategoryRule {
  const before = rule?.kind === "category" ? rule : { off: new Set<number>(), missing: true };
  const off = new Set(before.off);
  for (const code of codes) on ? off.delete(code) : off.add(code);
  return { kind: "category", off, missing: before.missing };
}

/**
 * A rule for numbers or dates after its range has changed. Items without a value no longer pass once there is a range,
 * and pass again when it is opened; what leaves it open changes nothing.
 */
export function ranged(rule: Rule | undefined, { from, to }: Pick<RangeRule, "from" | "to">): RangeRule {
  const before = rule?.kind === "range" ? rule : null;
  const missing = isOpen({ from, to }) ? !before || !isOpen(before) || before.missing : before?.missing ?? false;
  return { kind: "range", from, to, missing };
}

function isOpen({ from, to }: Pick<RangeRule, "from" | "to">): boolean {
  return from === -Infinity && to === Infinity;
}

/** The rule that only some categories pass. */
export function onlyThese(column: Column, codes: Iterable<number>): CategoryRule {
  const off = new Set((column.categories ?? []).keys());
  for (const code of codes) off.delete(code);
  return { kind: "category", off, missing: false };
}

/** 1 for each item of a column's kind that fails a rule. */
export function failures(column: Column, rule: Rule, count: number): Uint8Array {
  const found = new Uint8Array(count);
  if (rule.kind === "category") {
    const fails = new Uint8Array(MISSING + 1);
    for (const code of rule.off) fails[code] = 1;
    fails[MISSING] = Number(!rule.missing);
    for (let own = 0; own < count; own++) found[own] = fails[column.values[own]];
  } else if (rule.kind === "range") {
    const [from, to] = [Math.fround(rule.from), Math.fround(rule.to)]; // as the values are
    const missing = Number(!rule.missing);
    const days = column.kind === "date";
    for (let own = 0; own < count; own++) {
      const value = days ? Math.floor(column.values[own]) : column.values[own];
      found[own] = value !== value ? missing : Number(value < from || value > to);
    }
  } else {
    const words = fold(rule.text.trim()).split(/\s+/);
    const texts = foldedTexts(column);
    for (let own = 0; own < count; own++) found[own] = Number(!words.every((word) => texts[own].includes(word)));
  }
  return found;
}

const folded = new WeakMap<Column, string[]>();

function foldedTexts(column: Column): string[] {
  let found = folded.get(column);
  if (!found) folded.set(column, (found = column.texts.map((text) => fold(text ?? ""))));
  return found;
}

interface Applied {
  rule: Rule;
  fails: Uint8Array;
  domain: Domain;
}

/** What passes given filters; only rules that have changed are computed again. */
export class Sieve {
  private readonly applied = new Map<string, Applied>();
  private readonly failing: Uint8Array; // how many rules each item fails
  private filters = NO_FILTERS;
  private passing: Uint8Array | null = null;

  constructor(private readonly content: Content) {
    this.failing = new Uint8Array(content.count);
  }

  /** 1 for each item that passes; null without rules. */
  apply(filters: Filters): Uint8Array | null {
    this.filters = filters;
    for (const [key, { rule }] of this.applied) if (filters.rules.get(key) !== rule) this.remove(key);
    for (const [key, rule] of filters.rules) if (!this.applied.has(key)) this.add(key, rule);
    if (!this.applied.size) return (this.passing = null);
    const passing = new Uint8Array(this.content.count);
    for (let item = 0; item < passing.length; item++) passing[item] = this.failing[item] ? 0 : 1;
    if (filters.linked) this.keepLinked(passing);
    return (this.passing = passing);
  }

  private add(key: string, rule: Rule): void {
    const found = columnOf(this.content, key);
    if (!found) return;
    const { domain, column } = found;
    const fails = failures(column, rule, domain.count);
    for (let own = 0; own < domain.count; own++) this.failing[domain.start + own] += fails[own];
    this.applied.set(key, { rule, fails, domain });
  }

  private remove(key: string): void {
    const { fails, domain } = this.applied.get(key)!;
    for (let own = 0; own < domain.count; own++) this.failing[domain.start + own] -= fails[own];
    this.applied.delete(key);
  }

  private get ruled(): Set<number> {
    return new Set([...this.applied.values()].map(({ domain }) => domain.index));
  }

  /** Of kinds without rules, keep what is linked to an item that passes, of a kind with rules. */
  private keepLinked(passing: Uint8Array): void {
    const { domains, domainOf, links } = this.content;
    const { ruled } = this;
    const inRuled = Uint8Array.from(domains, (domain) => Number(ruled.has(domain.index)));
    for (const { index, start, count } of domains) {
      if (inRuled[index]) continue;
      for (let item = start; item < start + count; item++) {
        let linked = 0;
        for (let at = links.starts[item]; at < links.starts[item + 1] && !linked; at++) {
          const other = links.targets[at];
          linked = inRuled[domainOf[other]] & passing[other];
        }
        passing[item] = linked;
      }
    }
  }

  /** How many items with each code pass all rules but that of their own column. */
  counts(key: string, domain: Domain, codes: Uint8Array | Uint16Array, length: number): Uint32Array {
    const found = new Uint32Array(length);
    const own = this.applied.get(key)?.fails;
    const linked = this.filters.linked && !this.ruled.has(domain.index) ? this.passing : null;
    for (let at = 0; at < codes.length; at++) {
      const item = domain.start + at;
      const passes = linked ? linked[item] : this.failing[item] === (own ? own[at] : 0);
      if (passes && codes[at] < length) found[codes[at]]++;
    }
    return found;
  }
}
