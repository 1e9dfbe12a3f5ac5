// Why an item is where it is: its strongest affinities, in parts as written by src/mrsne/viewer/reasons.py.

import { type Content, decompress } from "./content";

/** What the parts are: items in each, and of each kind by what its items are alike. */
interface ReasonsAbout {
  chunk: number;
  alike: string[]; // "vector", or what is shared: "shared links", "shared subject of work"
}

declare module "./content" {
  interface About {
    reasons?: ReasonsAbout | null; // where the map knows what it was made from
  }
}

/** One of the strongest affinities of an item. */
export interface Tie {
  item: number; // at the other end
  share: number; // of all affinities of the item
  nearer: number; // items of the other's kind that lie nearer on the map and are not linked to the item
  far: boolean; // whether there are too many of these for the map to honour the tie
}

export interface Reasons {
  byKind: number[]; // the share of the affinities to each kind
  alike: Tie[]; // to items of its own kind that it is not linked to
  linked: Tie[];
}

/** Those of the reasons that are about items which are shown, and how many are left out. */
export function shownReasons(reasons: Reasons, isShown: (item: number) => boolean): Reasons & { left: number } {
  const { byKind, alike, linked } = reasons;
  const shown = (ties: Tie[]) => ties.filter((tie) => isShown(tie.item));
  const [near, joined] = [shown(alike), shown(linked)];
  return { byKind, alike: near, linked: joined, left: alike.length + linked.length - near.length - joined.length };
}

const FAR = 100; // items of a kind that lie nearer than a far one and are not linked; as in src/mrsne/quality/reasons.py
const FAR_SHARE = 0.25; // of the kind, where that is fewer

interface Chunk {
  first: number;
  byKind: Uint8Array;
  starts: Uint32Array;
  shares: Uint8Array;
  targets: Uint8Array[]; // lowest bytes first
}

/** Reads a part: shares by kind, how many affinities each item has, their shares, and four times a byte of each target. */
function readChunk(bytes: ArrayBuffer, first: number, items: number, kinds: number): Chunk {
  const byKind = new Uint8Array(bytes, 0, items * kinds);
  const counts = new Uint8Array(bytes, items * kinds, items);
  const starts = new Uint32Array(items + 1);
  for (let at = 0; at < items; at++) starts[at + 1] = starts[at] + counts[at];
  const total = starts[items];
  const shares = new Uint8Array(bytes, items * (kinds + 1), total);
  const targets = [1, 2, 3, 4].map((plane) => new Uint8Array(bytes, items * (kinds + 1) + plane * total, total));
  return { first, byKind, starts, shares, targets };
}

function shareOf(byte: number): number {
  return (byte / 255) ** 2;
}

/** How many items of the other's kind lie nearer to an item than the other does, but for those it is linked to. */
export function nearerItems(content: Content, item: number, other: number, linkedTo: ReadonlySet<number>): number {
  const { x, y } = content;
  const { start, count } = content.domain(other);
  const far = (x[other] - x[item]) ** 2 + (y[other] - y[item]) ** 2;
  let nearer = 0;
  for (let at = start; at < start + count; at++) {
    if (at !== item && (x[at] - x[item]) ** 2 + (y[at] - y[item]) ** 2 < far && !linkedTo.has(at)) nearer++;
  }
  return nearer;
}

export function isFar(nearer: number, size: number): boolean {
  return nearer >= Math.min(FAR, FAR_SHARE * size);
}

/** The share of the items of a kind that are placed worse than one of them; null where it has no score. */
export function placedBetterThan(scores: ArrayLike<number>, own: number): number | null {
  if (Number.isNaN(scores[own])) return null;
  let [worse, known] = [0, 0];
  for (let at = 0; at < scores.length; at++) {
    if (at === own || Number.isNaN(scores[at])) continue;
    known++;
    worse += Number(scores[at] < scores[own]);
  }
  return known ? worse / known : null;
}

/** Asks for the parts, each once. */
export class ReasonSource {
  private readonly chunks = new Map<number, Promise<Chunk>>();

  constructor(
    private readonly content: Content,
    readonly about: ReasonsAbout,
  ) {}

  async of(item: number): Promise<Reasons> {
    const { content } = this;
    const { byKind, starts, shares, targets, first } = await this.chunk(Math.floor(item / this.about.chunk));
    const own = item - first;
    const linkedTo = new Set(content.links.of(item).map((link) => link.item));
    const found: Reasons = { byKind: [], alike: [], linked: [] };
    for (let kind = 0; kind < content.domains.length; kind++) found.byKind.push(shareOf(byKind[own * content.domains.length + kind]));
    for (let at = starts[own]; at < starts[own + 1]; at++) {
      const other = targets.reduce((sum, plane, place) => sum + plane[at] * 256 ** place, 0);
      const nearer = nearerItems(content, item, other, linkedTo);
      const tie = { item: other, share: shareOf(shares[at]), nearer, far: isFar(nearer, content.domain(other).count) };
      const within = content.domainOf[other] === content.domainOf[item];
      (within && !linkedTo.has(other) ? found.alike : found.linked).push(tie);
    }
    found.linked.sort((a, b) => b.share - a.share);
    return found;
  }

  private chunk(number: number): Promise<Chunk> {
    let found = this.chunks.get(number);
    if (!found) {
      const first = number * this.about.chunk;
      const items = Math.min(this.about.chunk, this.content.count - first);
      found = decompress(this.content.source, `reasons-${number}`).then((bytes) =>
        readChunk(bytes, first, items, this.content.domains.length),
      );
      found.catch(() => this.chunks.delete(number)); // so that it is asked for again
      this.chunks.set(number, found);
    }
    return found;
  }
}
