// Which dots are drawn, and over which: those that do not pass a filter, then the rest, then what is selected.

import type { Content } from "./content";

/** Items in the order in which their dots are drawn: those of the largest kind last, in front. */
export interface Layers {
  items: Uint32Array;
  dimmed: number; // how many, at first, do not pass a filter
  plain: number; // how many follow
  selected: number; // and how many are last
}

export interface Shown {
  hidden: ReadonlySet<number>; // kinds
  passing: Uint8Array | null; // 1 for items that pass all filters; null without filters
  dimming: boolean; // whether the others are drawn at all
  selected: ReadonlySet<number> | null;
}

export function layersOf(content: Content, { hidden, passing, dimming, selected }: Shown): Layers {
  const groups = new Uint8Array(content.count); // 0 for not drawn, 1 for dimmed, 2 for plain, 3 for selected
  for (const { index, start, count } of content.domains) if (!hidden.has(index)) groups.fill(2, start, start + count);
  for (const item of selected ?? []) if (groups[item]) groups[item] = 3;
  if (passing) {
    const other = dimming ? 1 : 0;
    for (let item = 0; item < groups.length; item++) if (!passing[item] && groups[item]) groups[item] = other;
  }
  const counts = [0, 0, 0, 0];
  for (let item = 0; item < groups.length; item++) counts[groups[item]]++;
  const [, dimmed, plain, chosen] = counts;
  const items = new Uint32Array(dimmed + plain + chosen);
  const next = [0, 0, dimmed, dimmed + plain];
  for (const { start, count } of [...content.domains].sort((a, b) => a.count - b.count)) {
    for (let item = start; item < start + count; item++) if (groups[item]) items[next[groups[item]]++] = item;
  }
  return { items, dimmed, plain, selected: chosen };
}

/** A sample of about `most` items, an even share of each layer, for a picture that has to be drawn at once. */
export function sampleOf({ items, dimmed, plain, selected }: Layers, most: number): Layers {
  const share = Math.min(1, most / Math.max(1, items.length));
  const counts = [dimmed, plain, selected].map((count) => Math.ceil(share * count));
  const found = new Uint32Array(counts[0] + counts[1] + counts[2]);
  const starts = [0, dimmed, dimmed + plain];
  let at = 0;
  counts.forEach((count, layer) => {
    const step = [dimmed, plain, selected][layer] / Math.max(1, count);
    for (let place = 0; place < count; place++) found[at++] = items[starts[layer] + Math.floor(place * step)];
  });
  return { items: found, dimmed: counts[0], plain: counts[1], selected: counts[2] };
}
