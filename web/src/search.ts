// Search over all names, ids and texts.

import type { Content, Domain } from "./content";
import { type Pause, pauses } from "./sorting";

const PREPARED = 1 << 10; // items, after which one may have to pause
const RANKS = 7;

/** What matches. It is put in order only as far as somebody looks, since a letter matches most of a large map. */
interface Hits {
  count: number;
  left: number; // matching items that do not pass
  /** The best of them, best first. */
  first(count: number): number[];
}

export class Search {
  private readonly names: string[] = []; // folded, of those items that have been prepared
  private readonly texts: (string | null)[] = []; // of these, id and texts
  private readonly value: Float64Array;

  constructor(private readonly content: Content) {
    this.value = new Float64Array(content.count);
  }

  /** Prepare all names and texts, with pauses, so that the first search need not. */
  async prepare(pause: Pause = pauses(8)): Promise<void> {
    while (this.names.length < this.content.count) {
      this.prepareTo(this.names.length + PREPARED);
      await pause();
    }
  }

  /**
   * Items that match, best first: the whole name or id, whole words of the name, the beginning of the name, the beginning
   * of a word, anywhere in it, all words; then those that have the words in their texts. Of equals, those that most is
   * linked to and whose names say little else come first.
   */
  find(text: string, passes: (item: number) => boolean = () => true): Hits {
    const wanted = fold(text.trim());
    const ranks = Array.from({ length: RANKS }, (): number[] => []);
    if (!wanted) return this.hits(ranks, 0, wanted);
    this.prepareTo(this.content.count);
    const words = wanted.split(/\s+/);
    const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    const start = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}`, "u");
    const whole = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "u");
    let left = 0;
    const add = (item: number, rank: number) => (passes(item) ? ranks[rank].push(item) : left++);
    for (let item = 0; item < this.names.length; item++) {
      const name = this.names[item];
      const at = name.indexOf(wanted);
      if (at >= 0) add(item, rank(name, wanted, at, whole, start));
      else if (words.length > 1 && words.every((each) => name.includes(each))) add(item, 5);
      else {
        const text = this.texts[item];
        if (text === null || !words.every((each) => text.includes(each))) continue;
        add(item, text.startsWith(`${wanted}\n`) ? 0 : 6);
      }
    }
    return this.hits(ranks, left, wanted);
  }

  /** Items that a word, folded, is the whole name of. */
  called(word: string): number[] {
    this.prepareTo(this.content.count);
    return this.names.flatMap((name, item) => (name === word ? [item] : []));
  }

  private hits(ranks: number[][], left: number, wanted: string): Hits {
    const worth = (item: number) => this.value[item] + (this.names[item].startsWith(wanted) ? 0.5 : 0);
    return {
      count: ranks.reduce((sum, items) => sum + items.length, 0),
      left,
      first: (count) => ranks.reduce((found: number[], items) => [...found, ...best(items, worth, count - found.length)], []),
    };
  }

  private prepareTo(count: number): void {
    const { content, names, texts, value } = this;
    for (let item = names.length; item < Math.min(count, content.count); item++) {
      const domain = content.domain(item);
      const name = fold(content.name(item));
      names.push(name);
      texts.push(textOf(domain, item - domain.start));
      // how likely an item is meant: more with every doubling of its links, less with every further word of its name
      value[item] = Math.log2(1 + content.links.degree(item)) - (name.match(/[\p{L}\p{N}]+/gu)?.length ?? 1);
    }
  }
}

/** The id and the texts of an item; null where it has neither. */
function textOf({ ids, columns }: Domain, own: number): string | null {
  if (!ids && !columns.some((column) => column.kind === "text")) return null;
  const texts = columns.filter((column) => column.kind === "text").map((column) => column.texts[own] ?? "");
  return `${fold([ids?.[own] ?? "", ...texts].join("\n"))}\n`;
}

/** Those of ascending items that are worth most, the first of equals first. */
export function best(items: readonly number[], worth: (item: number) => number, count: number): number[] {
  if (count <= 0) return [];
  const found: { item: number; worth: number }[] = [];
  const byWorth = (a: (typeof found)[0], b: (typeof found)[0]) => b.worth - a.worth || a.item - b.item;
  let least = -Infinity; // that one more must be worth
  for (const item of items) {
    const own = worth(item);
    if (own <= least) continue;
    found.push({ item, worth: own });
    if (found.length < 2 * count) continue;
    found.sort(byWorth).length = count;
    least = found[count - 1].worth;
  }
  return found.sort(byWorth).slice(0, count).map((each) => each.item);
}

export function fold(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function rank(name: string, wanted: string, at: number, whole: RegExp, start: RegExp): number {
  if (name === wanted) return 0;
  if (whole.test(name)) return 1;
  if (at === 0) return 2;
  return start.test(name) ? 3 : 4;
}
