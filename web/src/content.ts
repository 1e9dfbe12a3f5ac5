// What a map shows: a description and compressed parts, as written by src/mrsne/viewer/content.py.

import { formatCount, plural } from "./format";
import { Links, joinLinks } from "./links";
import { NO_REGIONS, type PackedRegions, Regions } from "./regions";
import { Tree, readTree } from "./tree";

export interface ColumnAbout {
  name: string;
  kind: "number" | "date" | "category" | "text"; // dates are days since 1970
  categories: string[] | null; // of a category
  decimals?: number; // with which a number is shown
}

interface ThumbnailsAbout {
  side: number;
  gutter: number; // pixels around each picture on a sheet
  smallest: number;
  growth: number;
}

interface DomainAbout {
  name: string;
  count: number;
  named: boolean;
  identified: boolean; // whether items have ids beside the names that people read, which need not be unique
  thumbnails: ThumbnailsAbout | null;
  prominent: boolean; // whether some names are shown before others
  columns: ColumnAbout[];
  share: number | null; // of the weight of all, that neighbours of this kind have; null where that is not known
  placed: number | null; // which of the columns tells how well items are placed, from 0 to 1
  pictures?: boolean; // whether a server has them in full size
}

interface RelationAbout {
  a: number;
  b: number;
  links: number;
  weighted: boolean;
  weight: number; // of each link, where all weigh the same
  share: number | null; // of the weight of all, that these links have together
}

/** The description of a map. A panel adds what only it reads, as `_panels` in content.py does: in its own module. */
export interface About {
  format: number;
  title: string;
  theme: "auto" | "light" | "dark";
  source: "page" | "server" | "notebook";
  centre: [number, number];
  reach: number;
  levels: { count: number; pixels: number; step: number };
  domains: DomainAbout[];
  colour?: string; // the column that it is coloured by when it is opened, as in colouring.ts
  relations: RelationAbout[];
  placedTitle?: string; // what `placed` columns tell, where it is something else
  regions: number; // how many there are
  crowded?: boolean; // whether items share places
}

/** Where parts come from: the page itself, a server, or a notebook. */
export interface Source {
  part(name: string): Promise<Uint8Array<ArrayBuffer>>;
  /** The address of a picture in full size. */
  picture?(domain: number, item: number): string;
}

export interface Column extends ColumnAbout {
  values: Float32Array | Uint16Array; // of a text, empty
  texts: (string | null)[]; // of a text; empty otherwise
}

export interface Domain {
  about: DomainAbout;
  index: number;
  start: number;
  count: number;
  names: string[] | null;
  ids: string[] | null;
  tree: Tree | null;
  columns: Column[];
}

const FORMAT = 1; // as in content.py
export const MISSING = 65535; // the code of an item without a category

/** A map. Positions are there from the start; `complete` reads the rest. */
export class Content {
  readonly domains: Domain[] = [];
  readonly domainOf: Uint16Array;
  links: Links;
  regions = NO_REGIONS;
  sharing = new Uint32Array(); // of items: how many of their kind are at their place, spread around it; empty if none are
  readonly prominence: Uint16Array; // of names: which is shown before which

  private constructor(
    readonly about: About,
    readonly source: Source,
    readonly count: number,
    readonly x: Float32Array,
    readonly y: Float32Array,
  ) {
    this.domainOf = new Uint16Array(count);
    let start = 0;
    about.domains.forEach((domain, index) => {
      this.domainOf.fill(index, start, start + domain.count);
      this.domains.push({ about: domain, index, start, count: domain.count, names: null, ids: null, tree: null, columns: [] });
      start += domain.count;
    });
    this.links = Links.empty(count);
    this.prominence = new Uint16Array(count);
  }

  static async open(about: About, source: Source): Promise<Content> {
    if (about.format > FORMAT) {
      throw new Error(`it was written by a newer mrsne: it has format ${about.format}, and this program reads formats up to ${FORMAT}`);
    }
    const count = about.domains.reduce((sum, domain) => sum + domain.count, 0);
    const places = new Float32Array(await decompress(source, "places"));
    return new Content(about, source, count, places.subarray(0, count), places.subarray(count));
  }

  /** Read names, links, columns and the trees that say which items are shown at which zoom. */
  async complete(): Promise<void> {
    const work: Promise<void>[] = this.domains.map((domain) => this.readDomain(domain));
    work.push(this.readLinks());
    if (this.about.crowded) work.push(decompress(this.source, "sharing").then((bytes) => void (this.sharing = new Uint32Array(bytes))));
    if (this.about.regions) work.push(this.readRegions());
    await Promise.all(work);
  }

  private async readDomain(domain: Domain): Promise<void> {
    const { about, index } = domain;
    const reads: Promise<void>[] = [];
    if (about.named) {
      reads.push(
        decompress(this.source, `names-${index}`).then((bytes) => {
          domain.names = JSON.parse(new TextDecoder().decode(bytes)) as string[];
        }),
      );
    }
    if (about.identified) {
      reads.push(
        decompress(this.source, `ids-${index}`).then((bytes) => {
          domain.ids = JSON.parse(new TextDecoder().decode(bytes)) as string[];
        }),
      );
    }
    if (about.named || about.thumbnails) {
      reads.push(
        decompress(this.source, `tree-${index}`).then((bytes) => {
          domain.tree = readTree(bytes, domain.count);
        }),
      );
    }
    if (about.prominent) {
      reads.push(decompress(this.source, `prominence-${index}`).then((bytes) => this.prominence.set(new Uint16Array(bytes), domain.start)));
    }
    about.columns.forEach((column, position) => {
      reads.push(
        decompress(this.source, `column-${index}-${position}`).then((bytes) => {
          domain.columns[position] = readColumn(column, bytes);
        }),
      );
    });
    await Promise.all(reads);
  }

  private async readLinks(): Promise<void> {
    const relations = await Promise.all(
      this.about.relations.map(async (relation, index) => ({
        from: this.domains[relation.a],
        to: this.domains[relation.b],
        links: relation.links,
        weighted: relation.weighted,
        weight: relation.weight,
        bytes: await decompress(this.source, `links-${index}`),
      })),
    );
    this.links = joinLinks(relations, this.x, this.y);
  }

  private async readRegions(): Promise<void> {
    const [packed, innermost] = await Promise.all(["regions", "region-of"].map((name) => decompress(this.source, name)));
    this.regions = new Regions(JSON.parse(new TextDecoder().decode(packed)) as PackedRegions, new Uint16Array(innermost));
  }

  domain(item: number): Domain {
    return this.domains[this.domainOf[item]];
  }

  /** The name of an item, as text; never markup. */
  name(item: number): string {
    const domain = this.domain(item);
    const own = item - domain.start;
    return domain.names?.[own] ?? `${domain.about.name} ${own}`;
  }

  /** What an item is called in links, tables and addresses: its id or, where it has none, its name; null for neither. */
  id(item: number): string | null {
    const domain = this.domain(item);
    return (domain.ids ?? domain.names)?.[item - domain.start] ?? null;
  }

  /** Whether the map has links at all: without data, or with data on a cluster, it knows of none. */
  get hasLinks(): boolean {
    return this.about.relations.length > 0;
  }

  /** The kind of an item, how many links it has, and how many share its place. */
  caption(item: number): string {
    const kind = this.domain(item).about.name;
    const links = this.hasLinks ? plural(this.links.degree(item), "link") : "";
    const place = this.sharing[item] > 1 ? `one of ${formatCount(this.sharing[item])} at this place` : "";
    return [kind, links, place].filter(Boolean).join(" · ");
  }

  /** The coordinates of an item as Python has them. */
  coordinates(item: number): [number, number] {
    const { centre, reach } = this.about;
    return [centre[0] + reach * this.x[item], centre[1] + reach * this.y[item]];
  }
}

function readColumn(column: ColumnAbout, bytes: ArrayBuffer): Column {
  if (column.kind === "text") {
    return { ...column, values: new Float32Array(), texts: JSON.parse(new TextDecoder().decode(bytes)) as (string | null)[] };
  }
  const values = column.kind === "category" ? new Uint16Array(bytes) : new Float32Array(bytes);
  return { ...column, values, texts: [] };
}

/** Positions of items that are stored as all their lowest bytes, then all those above, four times. */
export function itemsAt(bytes: ArrayBuffer, start: number, count: number): Uint32Array {
  const found = new Uint32Array(count);
  for (let plane = 0; plane < 4; plane++) {
    const own = new Uint8Array(bytes, start + plane * count, count);
    for (let at = 0; at < count; at++) found[at] += own[at] * 256 ** plane;
  }
  return found;
}

export async function decompress(source: Source, name: string): Promise<ArrayBuffer> {
  const packed = await source.part(name);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
