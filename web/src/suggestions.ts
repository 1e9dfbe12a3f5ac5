// Links that may be missing: how likely each is, in parts as written by src/mrsne/viewer/suggestions.py, and which of them
// somebody has accepted.

import { type Content, decompress, itemsAt } from "./content";
import { linkTable } from "./export";
import { Signal } from "./signal";

declare module "./content" {
  interface About {
    suggestions?: { from: number; to: number }[] | null; // kinds, by the number of the part
  }
}

export interface Suggestion {
  item: number; // at the other end
  score: number; // how likely the link is, from 0 to 1
}

interface Packed {
  starts: Uint32Array;
  scores: Uint8Array;
  items: Uint32Array;
}

export class Suggestions {
  /** Links that were accepted: the part that they are of, and both ends. */
  readonly accepted = new Signal<readonly { part: number; item: number; other: number }[]>([]);
  private readonly parts = new Map<number, Promise<Packed>>();

  constructor(private readonly content: Content) {}

  /** Suggested links of an item, the likeliest first. */
  async of(item: number): Promise<Suggestion[]> {
    const { content } = this;
    const kind = content.domainOf[item];
    const found: Suggestion[] = [];
    for (const [part, { from }] of (content.about.suggestions ?? []).entries()) {
      if (from !== kind) continue;
      const { starts, scores, items } = await this.read(part);
      const own = item - content.domains[kind].start;
      for (let at = starts[own]; at < starts[own + 1]; at++) found.push({ item: items[at], score: scores[at] / 255 });
    }
    return found.sort((a, b) => b.score - a.score || a.item - b.item);
  }

  isAccepted(item: number, other: number): boolean {
    return this.accepted.value.some((link) => sameLink(link, item, other));
  }

  /** Accept a link, or take that back. */
  toggle(item: number, other: number): void {
    const { accepted, content } = this;
    const rest = accepted.value.filter((link) => !sameLink(link, item, other));
    if (rest.length < accepted.value.length) return void (accepted.value = rest);
    const [from, to] = [content.domainOf[item], content.domainOf[other]];
    // the first part between two kinds is the one in the direction of the relation
    const part = content.about.suggestions!.findIndex((each) => (each.from === from && each.to === to) || (each.from === to && each.to === from));
    const forwards = content.about.suggestions![part].from === from;
    accepted.value = [...rest, forwards ? { part, item, other } : { part, item: other, other: item }];
  }

  /** A table of all links between two kinds with the accepted ones, for each pair of kinds that has any: its name and text. */
  tables(): { name: string; text: string }[] {
    const { content, accepted } = this;
    return [...new Set(accepted.value.map((link) => link.part))].map((part) => {
      const { from, to } = content.about.suggestions![part];
      const kinds = [content.domains[from], content.domains[to]];
      const rows: number[][] = [];
      for (let item = kinds[0].start; item < kinds[0].start + kinds[0].count; item++) {
        for (const { item: other } of content.links.of(item)) if (content.domainOf[other] === to && (from !== to || item < other)) rows.push([item, other]);
      }
      for (const link of accepted.value) if (link.part === part) rows.push([link.item, link.other]);
      const [a, b] = kinds.map((kind) => kind.about.name);
      return { name: `${a}-${b}.csv`, text: linkTable(content, [a, b], rows) };
    });
  }

  private read(part: number): Promise<Packed> {
    let found = this.parts.get(part);
    if (!found) {
      const count = this.content.domains[this.content.about.suggestions![part].from].count;
      found = decompress(this.content.source, `suggestions-${part}`).then((bytes) => unpack(bytes, count));
      found.catch(() => this.parts.delete(part)); // so that it is asked for again
      this.parts.set(part, found);
    }
    return found;
  }
}

function sameLink(link: { item: number; other: number }, item: number, other: number): boolean {
  return (link.item === item && link.other === other) || (link.item === other && link.other === item);
}

function unpack(bytes: ArrayBuffer, count: number): Packed {
  const counts = new Uint8Array(bytes, 0, count);
  const starts = new Uint32Array(count + 1);
  for (let at = 0; at < count; at++) starts[at + 1] = starts[at] + counts[at];
  const total = starts[count];
  return { starts, scores: new Uint8Array(bytes, count, total), items: itemsAt(bytes, count + total, total) };
}
