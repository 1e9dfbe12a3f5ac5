// Links between items, stored at both ends in compressed rows: those of item i are at starts[i] … starts[i + 1].

export interface Relation {
  from: { start: number; count: number };
  to: { start: number; count: number };
  links: number;
  weight: number; // of every link, where `weighted` is false
  weighted: boolean;
  bytes: ArrayBuffer; // the number of links of each item, then their targets, then their weights
}

export interface Link {
  item: number; // at the other end
  weight: number;
}

export class Links {
  /** The sum of the weights of each item's links. */
  readonly strength: Float32Array;
  private last: { item: number; links: readonly Link[] } = { item: -1, links: [] };

  constructor(
    readonly starts: Uint32Array,
    readonly targets: Uint32Array,
    readonly weights: Float32Array,
    private readonly x: Float32Array,
    private readonly y: Float32Array,
  ) {
    const count = starts.length - 1;
    this.strength = new Float32Array(count);
    for (let item = 0; item < count; item++) {
      let sum = 0;
      for (let at = starts[item]; at < starts[item + 1]; at++) sum += weights[at];
      this.strength[item] = sum;
    }
  }

  static empty(count: number): Links {
    const none = new Float32Array(0);
    return new Links(new Uint32Array(count + 1), new Uint32Array(0), none, none, none);
  }

  degree(item: number): number {
    return this.starts[item + 1] - this.starts[item];
  }

  /** The items that an item is linked to, the heaviest link first; of equal links, the one to the nearest item on the map. */
  of(item: number): readonly Link[] {
    if (item === this.last.item) return this.last.links; // every frame asks for those of the item in focus
    const found: (Link & { distance: number })[] = [];
    for (let at = this.starts[item]; at < this.starts[item + 1]; at++) {
      const other = this.targets[at];
      const distance = (this.x[other] - this.x[item]) ** 2 + (this.y[other] - this.y[item]) ** 2;
      found.push({ item: other, weight: this.weights[at], distance });
    }
    found.sort((a, b) => b.weight - a.weight || a.distance - b.distance || a.item - b.item);
    this.last = { item, links: found.map(({ item: other, weight }) => ({ item: other, weight })) };
    return this.last.links;
  }
}

/** Combine relations, each given from one side, into one table from both sides; links of items to themselves are left out. */
export function joinLinks(relations: Relation[], x: Float32Array, y: Float32Array): Links {
  const count = x.length;
  const starts = new Uint32Array(count + 1);
  const read = relations.map(parseRelation);
  for (const { rows, targets } of read) {
    for (let at = 0; at < targets.length; at++) {
      if (rows[at] === targets[at]) continue;
      starts[rows[at] + 1]++;
      starts[targets[at] + 1]++;
    }
  }
  for (let item = 0; item < count; item++) starts[item + 1] += starts[item];
  const next = starts.slice();
  const targets = new Uint32Array(starts[count]);
  const weights = new Float32Array(starts[count]);
  const put = (from: number, to: number, weight: number) => {
    targets[next[from]] = to;
    weights[next[from]++] = weight;
  };
  for (const relation of read) {
    for (let at = 0; at < relation.targets.length; at++) {
      const [a, b] = [relation.rows[at], relation.targets[at]];
      if (a === b) continue;
      const weight = relation.weights ? relation.weights[at] : relation.weight;
      put(a, b, weight);
      put(b, a, weight);
    }
  }
  return new Links(starts, targets, weights, x, y);
}

function parseRelation({ from, to, links, weight, weighted, bytes }: Relation) {
  const counts = new Uint32Array(bytes, 0, from.count);
  const ends = new Uint32Array(bytes, 4 * from.count, links);
  const rows = new Uint32Array(links);
  const targets = new Uint32Array(links);
  for (let row = 0, at = 0; row < from.count; row++) {
    for (let left = counts[row]; left > 0; left--, at++) {
      rows[at] = from.start + row;
      targets[at] = to.start + ends[at];
    }
  }
  return { rows, targets, weight, weights: weighted ? new Float32Array(bytes, 4 * (from.count + links), links) : null };
}
