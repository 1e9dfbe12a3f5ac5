// What a map shows: a description, and compressed parts that src/mrsne/viewer/content.py writes.

import { Links, joinLinks } from "./links";
import { Tree, readTree } from "./tree";

export interface ColumnAbout {
  name: string;
  categories: string[] | null; // null: numbers
}

export interface ThumbnailsAbout {
  side: number;
  gutter: number; // pixels around each picture on a sheet
  smallest: number;
  growth: number;
}

export interface DomainAbout {
  name: string;
  count: number;
  named: boolean;
  thumbnails: ThumbnailsAbout | null;
  columns: ColumnAbout[];
  pictures?: boolean; // a server has them in full size
}

export interface About {
  format: number;
  title: string;
  theme: "auto" | "light" | "dark";
  source: "page" | "server" | "notebook";
  centre: [number, number];
  reach: number;
  levels: { count: number; pixels: number; step: number };
  domains: DomainAbout[];
  relations: { a: number; b: number; links: number; weighted: boolean; weight: number }[];
}

/** Where parts come from: the page itself, a server, or a notebook. */
export interface Source {
  part(name: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Address of a picture in full size. */
  picture?(domain: number, item: number): string;
}

export interface Column extends ColumnAbout {
  values: Float32Array | Uint16Array;
}

export interface Domain {
  about: DomainAbout;
  index: number;
  start: number;
  count: number;
  names: string[] | null;
  tree: Tree | null;
  columns: Column[];
}

const FORMAT = 1; // as in content.py
export const MISSING = 65535; // the code of an item without a category

/** A map. Places are there from the start; the rest comes with `complete`. */
export class Content {
  readonly domains: Domain[] = [];
  readonly domainOf: Uint16Array;
  links: Links;

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
      this.domains.push({ about: domain, index, start, count: domain.count, names: null, tree: null, columns: [] });
      start += domain.count;
    });
    this.links = Links.none(count);
  }

  static async open(about: About, source: Source): Promise<Content> {
    if (about.format !== FORMAT) throw new Error(`it was written by another version of mrsne (format ${about.format})`);
    const count = about.domains.reduce((sum, domain) => sum + domain.count, 0);
    const places = new Float32Array(await unpacked(source, "places"));
    return new Content(about, source, count, places.subarray(0, count), places.subarray(count));
  }

  /** Read names, links, columns and which items are shown when. */
  async complete(): Promise<void> {
    const work: Promise<void>[] = this.domains.map((domain) => this.fill(domain));
    work.push(this.readLinks());
    await Promise.all(work);
  }

  private async fill(domain: Domain): Promise<void> {
    const { about, index } = domain;
    const reads: Promise<void>[] = [];
    if (about.named) {
      reads.push(
        unpacked(this.source, `names-${index}`).then((bytes) => {
          domain.names = JSON.parse(new TextDecoder().decode(bytes)) as string[];
        }),
      );
    }
    if (about.named || about.thumbnails) {
      reads.push(
        unpacked(this.source, `tree-${index}`).then((bytes) => {
          domain.tree = readTree(bytes, domain.count);
        }),
      );
    }
    about.columns.forEach((column, position) => {
      reads.push(
        unpacked(this.source, `column-${index}-${position}`).then((bytes) => {
          domain.columns[position] = {
            ...column,
            values: column.categories ? new Uint16Array(bytes) : new Float32Array(bytes),
          };
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
        bytes: await unpacked(this.source, `links-${index}`),
      })),
    );
    this.links = joinLinks(this.count, relations);
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

  /** The place of an item in the coordinates that Python has. */
  coordinates(item: number): [number, number] {
    const { centre, reach } = this.about;
    return [centre[0] + reach * this.x[item], centre[1] + reach * this.y[item]];
  }
}

async function unpacked(source: Source, name: string): Promise<ArrayBuffer> {
  const packed = await source.part(name);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
