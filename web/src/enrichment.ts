// What a selection has in common: the items that it is linked to more often than expected by chance.

import type { Content } from "./content";

export interface Enrichment {
  item: number;
  inside: number; // selected items that are linked to it
  all: number; // all items that are linked to it
  times: number; // how much more often than by chance
}

const FEWEST = 2; // a single link says nothing

/** The items with more links into the selection than a random selection of its size would have, the most surprising first. */
export function enrichment(content: Content, selection: readonly number[], most = 30): Enrichment[] {
  const { links, domains } = content;
  const chosen = new Map<number, number>(); // selected items of each domain
  const inside = new Map<number, number>();
  for (const item of selection) {
    const own = content.domainOf[item];
    chosen.set(own, (chosen.get(own) ?? 0) + 1);
    for (let at = links.starts[item]; at < links.starts[item + 1]; at++) {
      inside.set(links.targets[at], (inside.get(links.targets[at]) ?? 0) + 1);
    }
  }
  const found: (Enrichment & { score: number })[] = [];
  for (const [item, count] of inside) {
    const all = links.degree(item);
    let expected = 0; // of links into a random selection with as many items of each domain
    for (let at = links.starts[item]; at < links.starts[item + 1]; at++) {
      const from = content.domainOf[links.targets[at]];
      expected += (chosen.get(from) ?? 0) / domains[from].count;
    }
    if (count < FEWEST || count <= expected) continue;
    const score = 2 * (count * Math.log(count / expected) - (count - expected)); // Poisson likelihood ratio
    found.push({ item, inside: count, all, times: count / expected, score });
  }
  found.sort((a, b) => b.score - a.score || a.item - b.item);
  return found.slice(0, most);
}
