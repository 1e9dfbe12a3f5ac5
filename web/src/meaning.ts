// Search by meaning: words that are near names on the map, in a part as written by src/mrsne/viewer/meaning.py.

import { type Content, decompress, itemsAt } from "./content";
import { fold } from "./search";

declare module "./content" {
  interface About {
    meaning?: object | null; // where the map has names to compare words with
  }
}

const FUNCTION_WORDS = 100; // such as "of" and "with", the first ones of the part, which say nothing beside others
const SINGULAR = [/s$/, /es$/, /ies$/]; // a plural that is not known stands for one of these, the last with a "y"

/** An item and how near it is to what was searched for, from 0 to 1. */
export interface Near {
  item: number;
  closeness: number;
}

export interface Meant {
  named: Near[]; // items whose names are near any of the words, the nearest first
  linked: Near[]; // items that are linked to names near the words, to the most and nearest first
  words: number; // that were searched for
  unknown: string[]; // words that are near no name
}

interface Packed {
  rank: Map<string, number>; // words in the order of their frequency
  starts: Uint32Array;
  items: Uint32Array;
  cosines: Uint8Array;
}

export class Meaning {
  private packed: Promise<Packed> | null = null;

  constructor(private readonly content: Content) {}

  /** Whether the map knows words at all. */
  get exists(): boolean {
    return !!this.content.about.meaning;
  }

  /** What is near a text; `called` finds the items that a word is the whole name of. */
  async find(text: string, called: (word: string) => number[]): Promise<Meant> {
    this.packed ??= decompress(this.content.source, "meaning").then(unpack);
    const packed = await this.packed;
    const all = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
    const telling = all.filter((word) => (packed.rank.get(word) ?? FUNCTION_WORDS) >= FUNCTION_WORDS);
    const words = telling.length ? telling : all;
    const near = words.map((word) => new Map([...nearest(packed, word), ...called(word).map((item): [number, number] => [item, 1])]));
    const named = new Map<number, number>();
    for (const [item, closeness] of near.flatMap((names) => [...names])) named.set(item, Math.max(closeness, named.get(item) ?? 0));
    return {
      named: ranked(named),
      linked: ranked(this.linkedToAny(near.filter((names) => names.size))),
      words: words.length,
      unknown: words.filter((_, at) => !near[at].size),
    };
  }

  /** Items that are linked to names of the words: the mean, over all words, of how near the best of these is. */
  private linkedToAny(near: Map<number, number>[]): Map<number, number> {
    const sums = new Map<number, number>();
    for (const names of near) {
      for (const [item, closeness] of this.linkedTo(names)) sums.set(item, (sums.get(item) ?? 0) + closeness / near.length);
    }
    return sums;
  }

  private linkedTo(names: Map<number, number>): Map<number, number> {
    const { starts, targets } = this.content.links;
    const found = new Map<number, number>();
    for (const [name, closeness] of names) {
      for (const item of targets.subarray(starts[name], starts[name + 1])) found.set(item, Math.max(closeness, found.get(item) ?? 0));
    }
    return found;
  }
}

/** The names near a word; a plural that is not known stands for its singular. */
function nearest({ rank, starts, items, cosines }: Packed, word: string): Map<number, number> {
  const forms = [word, ...SINGULAR.map((ending, at) => word.replace(ending, at === 2 ? "y" : ""))];
  const row = forms.map((form) => rank.get(form)).find((found) => found !== undefined);
  const found = new Map<number, number>();
  if (row !== undefined) for (let at = starts[row]; at < starts[row + 1]; at++) found.set(items[at], cosines[at] / 255);
  return found;
}

function ranked(found: Map<number, number>): Near[] {
  return [...found].map(([item, closeness]) => ({ item, closeness })).sort((a, b) => b.closeness - a.closeness || a.item - b.item);
}

/** Reads the part: sizes, how many names each word has, their cosines, four times a byte of each name, and the words. */
function unpack(bytes: ArrayBuffer): Packed {
  const [n, total] = new Uint32Array(bytes, 0, 2);
  const counts = new Uint8Array(bytes, 8, n);
  const cosines = new Uint8Array(bytes, 8 + n, total);
  const starts = new Uint32Array(n + 1);
  for (let at = 0; at < n; at++) starts[at + 1] = starts[at] + counts[at];
  const items = itemsAt(bytes, 8 + n + total, total);
  const words = new TextDecoder().decode(new Uint8Array(bytes, 8 + n + 5 * total));
  return { rank: new Map(n ? words.split("\n").map((word, at) => [word, at]) : []), starts, items, cosines };
}
