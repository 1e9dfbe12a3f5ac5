// Search over all names.

import type { Content } from "./content";

const MOST = 8;

export class Search {
  private folded: string[] | null = null;

  constructor(private readonly content: Content) {}

  /** Items whose names match, best first: the whole name, its beginning, the beginning of a word, anywhere, all words. */
  find(text: string, most = MOST): number[] {
    const wanted = fold(text.trim());
    if (!wanted) return [];
    const words = wanted.split(/\s+/);
    this.folded ??= this.allFolded();
    const { strength } = this.content.links;
    const found: { item: number; rank: number }[] = [];
    const word = new RegExp(`[^\\p{L}\\p{N}]${wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}`, "u");
    for (let item = 0; item < this.folded.length; item++) {
      const name = this.folded[item];
      const at = name.indexOf(wanted);
      if (at < 0 && words.length > 1 && words.every((each) => name.includes(each))) found.push({ item, rank: 4 });
      if (at >= 0) found.push({ item, rank: rank(this.folded[item], wanted, at, word) });
    }
    found.sort((a, b) => a.rank - b.rank || strength[b.item] - strength[a.item] || a.item - b.item);
    return found.slice(0, most).map((hit) => hit.item);
  }

  private allFolded(): string[] {
    return Array.from({ length: this.content.count }, (_, item) => fold(this.content.name(item)));
  }
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function rank(name: string, wanted: string, at: number, word: RegExp): number {
  if (name === wanted) return 0;
  if (at === 0) return 1;
  return word.test(name) ? 2 : 3;
}
