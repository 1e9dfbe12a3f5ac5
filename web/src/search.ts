// Search over all names, ids and texts.

import type { Content } from "./content";

const MOST = 8;

export class Search {
  private folded: string[] | null = null;
  private texts: Map<number, string> | null = null; // by item, its id and its texts

  constructor(private readonly content: Content) {}

  /**
   * Items that match, best first: the whole name or id, the beginning of the name, the beginning of a word, anywhere in
   * it, all words; then those that have the words in their texts.
   */
  find(text: string, most = MOST): number[] {
    const wanted = fold(text.trim());
    if (!wanted) return [];
    const words = wanted.split(/\s+/);
    this.folded ??= this.allFolded();
    this.texts ??= this.allTexts();
    const { strength } = this.content.links;
    const found: { item: number; rank: number }[] = [];
    const word = new RegExp(`[^\\p{L}\\p{N}]${wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}`, "u");
    for (let item = 0; item < this.folded.length; item++) {
      const name = this.folded[item];
      const at = name.indexOf(wanted);
      if (at >= 0) found.push({ item, rank: rank(this.folded[item], wanted, at, word) });
      else if (words.length > 1 && words.every((each) => name.includes(each))) found.push({ item, rank: 4 });
      else if (this.texts.size) {
        const text = this.texts.get(item);
        if (text === undefined || !words.every((each) => text.includes(each))) continue;
        found.push({ item, rank: text.startsWith(`${wanted}\n`) ? 0 : 5 });
      }
    }
    found.sort((a, b) => a.rank - b.rank || strength[b.item] - strength[a.item] || a.item - b.item);
    return found.slice(0, most).map((hit) => hit.item);
  }

  private allTexts(): Map<number, string> {
    const found = new Map<number, string>();
    for (const domain of this.content.domains) {
      const texts = domain.columns.filter((column) => column.kind === "text");
      if (!texts.length && !domain.ids) continue;
      for (let own = 0; own < domain.count; own++) {
        const parts = [domain.ids?.[own] ?? "", ...texts.map((column) => column.texts[own] ?? "")];
        found.set(domain.start + own, `${fold(parts.join("\n"))}\n`);
      }
    }
    return found;
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
