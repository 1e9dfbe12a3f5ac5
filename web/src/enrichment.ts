// What a selection has in common: the items that it is linked to more often than expected by chance.

import type { Content } from "./content";

export interface Enrichment {
  item: number;
  inside: number; // selected items that are linked to it
  all: number; // all items that are linked to it
  times: number; // how much more often than by chance
}

const FEWEST = 2; // a single link says nothing

/** How many of the selected items must be linked to an item that tells something about all of them: half of their root. */
export function neededLinks(selected: number): number {
  return Math.max(FEWEST, Math.ceil(Math.sqrt(selected) / 2));
}

/**
 * The items with more links into the selection than a random selection of its size would have: of each kind those that
 * are the most surprising, which are the first of the kind's own list.
 *
 * Without a least number of links, a large selection would be described by its many items that have three links, all in
 * one place, since that is where links put them; they say nothing about the rest of the selection.
 */
export function enrichment(content: Content, selection: readonly number[], most = 12): Enrichment[][] {
  const { links, domains } = content;
  const chosen = domains.map(() => 0); // selected items of each domain
  const inside = new Map<number, number>();
  for (const item of selection) {
    chosen[content.domainOf[item]]++;
    for (let at = links.starts[item]; at < links.starts[item + 1]; at++) {
      inside.set(links.targets[at], (inside.get(links.targets[at]) ?? 0) + 1);
    }
  }
  const found = domains.map((): (Enrichment & { score: number })[] => []);
  for (const [item, count] of inside) {
    const from = new Set<number>(); // the domains that it is linked to
    let expected = 0; // of links into a random selection with as many items of each domain
    for (let at = links.starts[item]; at < links.starts[item + 1]; at++) {
      const own = content.domainOf[links.targets[at]];
      from.add(own);
      expected += chosen[own] / domains[own].count;
    }
    const linkable = [...from].reduce((sum, own) => sum + chosen[own], 0);
    if (count < neededLinks(linkable) || count <= expected) continue;
    const score = 2 * (count * Math.log(count / expected) - (count - expected)); // Poisson likelihood ratio
    found[content.domainOf[item]].push({ item, inside: count, all: links.degree(item), times: count / expected, score });
  }
  for (const own of found) own.sort((a, b) => b.score - a.score || a.item - b.item);
  return found.map((own) => own.slice(0, most));
}
