// Selections by the names of kinds, as notebooks have them.

import type { Content } from "./content";
import { entry } from "./filterwords";

type SelectionWords = Record<string, number[]>; // positions within kinds

export function selectionWords(content: Content, items: readonly number[]): SelectionWords {
  const found = content.domains.map((domain): [string, number[]] => {
    const own = items.filter((item) => content.domainOf[item] === domain.index);
    return [domain.about.name, own.map((item) => item - domain.start)];
  });
  return Object.fromEntries(found.filter(([, own]) => own.length)); // a kind may be called __proto__
}

export function selectionOf(content: Content, words: unknown): number[] {
  return content.domains.flatMap((domain) => {
    const own = entry(words, domain.about.name);
    return Array.isArray(own) ? own.map((position: number) => domain.start + position) : [];
  });
}
