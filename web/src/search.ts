// Search over all names, ids and texts.

import type { Content } from "./content";

export class Search {
  private folded: string[] | null = null;
  private texts: Map<number, string> | null = null; // by item, its id and its texts

  constructor(private readonly content: Content) {}

  /**
   * Items that match, best first: the whole name or id, whole words of the name, the beginning of the name, the beginning
   * of a word, anywhere in it, all words; then those that have the words in their texts. Of equals, those that most is
   * linked to and whose names say little else come first.
   */
  find(text: string): number[] {
    const wanted = fold(text.trim());
    if (!wanted) return [];
    const words = wanted.split(/\s+/);
    this.folded ??= this.allFolded();
    this.texts ??= this.allTexts();
    const found: { item: number; rank: number; worth: number }[] = [];
    const add = (item: number, rank: number) => found.push({ item, rank, worth: this.worth(item, wanted) });
    const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    const start = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}`, "u");
    const whole = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "u");
    for (let item = 0; item < this.folded.length; item++) {
      const name = this.folded[item];
      const at = name.indexOf(wanted);
      if (at >= 0) add(item, rank(name, wanted, at, whole, start));
      else if (words.length > 1 && words.every((each) => name.includes(each))) add(item, 5);
      else if (this.texts.size) {
        const text = this.texts.get(item);
        if (text === undefined || !words.every((each) => text.includes(each))) continue;
        add(item, text.startsWith(`${wanted}\n`) ? 0 : 6);
      }
    }
    found.sort((a, b) => a.rank - b.rank || b.worth - a.worth || a.item - b.item);
    return found.map((hit) => hit.item);
  }

  /** How likely an item is meant: more with every doubling of its links, less with every further word of its name. */
  private worth(item: number, wanted: string): number {
    const name = this.folded![item];
    const words = name.match(/[\p{L}\p{N}]+/gu)?.length ?? 1;
    return Math.log2(1 + this.content.links.degree(item)) - words + (name.startsWith(wanted) ? 0.5 : 0);
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

export function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function rank(name: string, wanted: string, at: number, whole: RegExp, start: RegExp): number {
  if (name === wanted) return 0;
  if (whole.test(name)) return 1;
  if (at === 0) return 2;
  return start.test(name) ? 3 : 4;
}
