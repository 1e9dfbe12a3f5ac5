// Maps for tests, opened from parts in the format that src/mrsne/viewer/content.py writes.

import { type ColumnAbout, Content } from "../src/content";
import type { PackedRegions } from "../src/regions";

export interface Kind {
  name: string;
  places: [number, number][];
  names?: string[];
  ids?: string[];
  prominence?: number[];
  columns?: TestColumn[];
  placed?: number | null; // which of the columns tells how well items are placed
  share?: number;
}

/** A column, by default of categories where it has some, or else of numbers. */
export interface TestColumn extends Omit<ColumnAbout, "kind"> {
  kind?: ColumnAbout["kind"];
  values: number[] | (string | null)[];
}

function kindOf(column: TestColumn): ColumnAbout["kind"] {
  return column.kind ?? (column.categories ? "category" : "number");
}

/** Regions, and the innermost one of each item. */
export interface TestRegions {
  packed: PackedRegions;
  innermost: number[];
}

export interface Relation {
  a: number;
  b: number;
  links: [number, number, number?][]; // positions within both kinds and, optionally, weights
  share?: number;
}

/** Squares of at most `capacity` items, filled with the lowest levels first, and smaller squares for the rest. */
export function treePart(places: [number, number][], levels: number[], capacity: number): ArrayBuffer {
  const nodes: number[][] = [];
  const order: number[] = [];
  const split = (items: number[], depth: number, column: number, row: number, parent: number) => {
    const own = items.slice(0, capacity);
    const number = nodes.push([depth, column, row, order.length, own.length, parent]) - 1;
    order.push(...own);
    const side = 2 / 2 ** (depth + 1);
    const cells = new Map<string, { items: number[]; column: number; row: number }>();
    for (const item of items.slice(capacity)) {
      const [x, y] = places[item];
      const [right, up] = [Number(x >= (2 * column + 1) * side - 1), Number(y >= (2 * row + 1) * side - 1)];
      const cell = cells.get(`${right}${up}`) ?? { items: [], column: 2 * column + right, row: 2 * row + up };
      cell.items.push(item);
      cells.set(`${right}${up}`, cell);
    }
    for (const cell of cells.values()) split(cell.items, depth + 1, cell.column, cell.row, number);
  };
  const ranked = [...places.keys()].sort((a, b) => levels[a] - levels[b]);
  if (ranked.length) split(ranked, 0, 0, 0, -1);
  return joined(
    new Uint32Array([nodes.length, order.length]),
    new Int32Array(nodes.flat()),
    new Uint32Array(order),
    new Uint8Array(order.map((item) => levels[item])),
  );
}

/** A map that has been read completely. */
export async function openMap(
  kinds: Kind[],
  relations: Relation[] = [],
  about: object = {},
  more: Record<string, ArrayBuffer> = {},
  regions: TestRegions | null = null,
): Promise<Content> {
  const parts = new Map<string, ArrayBuffer>(Object.entries(more));
  if (regions) {
    parts.set("regions", joined(new TextEncoder().encode(JSON.stringify(regions.packed))));
    parts.set("region-of", joined(new Uint16Array(regions.innermost)));
  }
  const places = kinds.flatMap((kind) => kind.places);
  parts.set("places", joined(new Float32Array([...places.map(([x]) => x), ...places.map(([, y]) => y)])));
  kinds.forEach((kind, index) => {
    if (kind.names) {
      parts.set(`names-${index}`, joined(new TextEncoder().encode(JSON.stringify(kind.names))));
      parts.set(`tree-${index}`, treePart(kind.places, kind.places.map(() => 0), kind.places.length));
    }
    if (kind.prominence) parts.set(`prominence-${index}`, joined(new Uint16Array(kind.prominence)));
    if (kind.ids) parts.set(`ids-${index}`, joined(new TextEncoder().encode(JSON.stringify(kind.ids))));
    kind.columns?.forEach((column, position) => {
      const { categories, values } = column;
      const part =
        kindOf(column) === "text"
          ? new TextEncoder().encode(JSON.stringify(values))
          : categories
            ? new Uint16Array(values as number[])
            : new Float32Array(values as number[]);
      parts.set(`column-${index}-${position}`, joined(part));
    });
  });
  relations.forEach(({ a, links }, index) => parts.set(`links-${index}`, linksPart(kinds[a].places.length, links)));
  const content = await Content.open(
    {
      format: 1,
      title: "A map",
      report: null,
      theme: "light",
      source: "page",
      centre: [0, 0],
      reach: 1,
      levels: { count: 26, pixels: 400, step: Math.SQRT2 },
      regions: regions?.packed.words.length ?? 0,
      domains: kinds.map(({ name, places: own, names, ids, prominence, columns = [], placed = null, share = null }) => ({
        name,
        count: own.length,
        named: names !== undefined,
        identified: ids !== undefined,
        thumbnails: null,
        prominent: prominence !== undefined,
        share,
        placed,
        columns: columns.map((column) => ({ name: column.name, kind: kindOf(column), categories: column.categories })),
      })),
      relations: relations.map(({ a, b, links, share = null }) => ({
        a,
        b,
        links: links.length,
        weighted: isWeighted(links),
        weight: 1,
        share,
      })),
      ...about,
    },
    { part: async (name) => compressed(parts.get(name)!) },
  );
  await content.complete();
  return content;
}

function isWeighted(links: [number, number, number?][]): boolean {
  return links.some(([, , weight]) => weight !== undefined);
}

function linksPart(count: number, links: [number, number, number?][]): ArrayBuffer {
  const sorted = [...links].sort((one, other) => one[0] - other[0]);
  const counts = new Uint32Array(count);
  for (const [from] of sorted) counts[from]++;
  const weights = isWeighted(sorted) ? sorted.map(([, , weight]) => weight ?? 1) : [];
  return joined(counts, new Uint32Array(sorted.map(([, to]) => to)), new Float32Array(weights));
}

function joined(...arrays: ArrayBufferView<ArrayBuffer>[]): ArrayBuffer {
  const bytes = arrays.flatMap((array) => [...new Uint8Array(array.buffer, array.byteOffset, array.byteLength)]);
  return new Uint8Array(bytes).buffer;
}

async function compressed(bytes: ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
