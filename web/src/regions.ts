// Parts of the map with names: what is in them, and which are named at which zoom. Written by src/mrsne/viewer/regions.py.

import type { Box } from "./camera";

export const NO_REGION = -1;
const STEPS = 16384; // of a unit of the map; as in regions.py
const NONE = 65535; // as in regions.py
const LARGEST_SHARE = 0.62; // of the screen that a region takes before it gives way to its parts
const LEAST_ZOOM = 1.3; // times the whole map, up to which the overview stays
const TOO_LARGE = 1.6; // of the screen: one is inside a region that has no parts, and its name is no help

export interface Region {
  index: number;
  words: string[];
  name: string;
  parent: number; // NO_REGION for those of the overview
  parts: number[]; // the regions inside it
  depth: number;
  count: number; // of items
  x: number; // where its items are densest
  y: number;
  outlines: [number, number][][];
  box: Box;
  diameter: number; // of a circle as large as it
}

/** What regions.py writes: corners are steps from the one before. */
export interface PackedRegions {
  words: string[][];
  parents: number[];
  centres: [number, number][];
  outlines: number[][][];
}

export class Regions {
  readonly all: Region[];

  constructor(
    packed: PackedRegions,
    private readonly innermost: Uint16Array, // of each item, the smallest region that it is in
  ) {
    this.all = packed.words.map((words, index) => {
      const outlines = packed.outlines[index].map(corners);
      const [x, y] = packed.centres[index].map((step) => step / STEPS);
      const parent = packed.parents[index];
      const box = boxAround(outlines, x, y);
      const name = words.join(words.some((word) => word.includes(",")) ? "; " : ", ");
      return { index, words, name, parent, parts: [], depth: 0, count: 0, x, y, outlines, box, diameter: diameterOf(outlines) };
    });
    for (const region of this.all) {
      if (region.parent === NO_REGION) continue;
      region.depth = this.all[region.parent].depth + 1;
      this.all[region.parent].parts.push(region.index);
    }
    for (const index of innermost) if (index !== NONE) this.all[index].count++;
    for (let at = this.all.length - 1; at >= 0; at--) {
      const { parent, count } = this.all[at];
      if (parent !== NO_REGION) this.all[parent].count += count; // parents come before their parts
    }
  }

  /** The regions of the overview. */
  get top(): Region[] {
    return this.all.filter((region) => region.parent === NO_REGION);
  }

  /** The region and those that it is in, the largest first. */
  path(index: number): Region[] {
    const found: Region[] = [];
    for (let at = index; at !== NO_REGION; at = this.all[at].parent) found.unshift(this.all[at]);
    return found;
  }

  /** Positions of the items in a region. */
  members(index: number): number[] {
    const inside = new Uint8Array(this.all.length);
    for (const region of this.all) inside[region.index] = Number(region.index === index || (region.parent !== NO_REGION && inside[region.parent]));
    const found: number[] = [];
    this.innermost.forEach((region, item) => {
      if (region !== NONE && inside[region]) found.push(item);
    });
    return found;
  }

  /** How many items of each region pass, by 1 for each item that does. */
  counts(passing: Uint8Array): Uint32Array {
    const found = new Uint32Array(this.all.length);
    this.innermost.forEach((region, item) => {
      if (region !== NONE) found[region] += passing[item];
    });
    for (let at = this.all.length - 1; at >= 0; at--) {
      if (this.all[at].parent !== NO_REGION) found[this.all[at].parent] += found[at]; // parents come before their parts
    }
    return found;
  }

  /** The innermost region of an item; NO_REGION if it is in none. */
  of(item: number): number {
    const found = this.innermost[item] ?? NONE;
    return found === NONE ? NO_REGION : found;
  }

  /**
   * The regions to name at a zoom, relative to that of the whole map: each as large as the screen allows. Where one has
   * become too large, its parts take its place.
   */
  atZoom(zoom: number): Region[] {
    const found: Region[] = [];
    const waiting = this.top.reverse();
    for (let region = waiting.pop(); region; region = waiting.pop()) {
      const share = (region.diameter * zoom) / 2;
      const gone = zoom > LEAST_ZOOM && share > (region.parts.length ? LARGEST_SHARE : TOO_LARGE);
      if (!gone) found.push(region);
      else for (let at = region.parts.length - 1; at >= 0; at--) waiting.push(this.all[region.parts[at]]);
    }
    return found;
  }

  /** The regions around a place, by an item there, that are too large to be named at a zoom, the largest first. */
  around(item: number, zoom: number): Region[] {
    const named = new Set(this.atZoom(zoom));
    const path = this.path(this.of(item));
    const at = path.findIndex((region) => named.has(region));
    return at < 0 ? path : path.slice(0, at);
  }

  /** What a region is called in addresses: its name, with a number where others before it have the same. */
  address(index: number): string {
    const { name } = this.all[index];
    const before = this.all.slice(0, index).filter((region) => region.name === name).length;
    return before ? `${name} (${before + 1})` : name;
  }

  /**
   * The name of a region by which mrsne export finds it: no other is called so or, as it takes a single word for the
   * first of a name, begins with it. null where others are, or there is no such region.
   */
  nameOfOne(index: number): string | null {
    const name = this.all[index]?.name;
    const key = name?.toLowerCase();
    const same = this.all.filter((region) => region.name.toLowerCase() === key || region.words[0]?.toLowerCase() === key);
    return same.length === 1 ? name : null;
  }

  /** The region of an address; NO_REGION where there is none. */
  named(address: string | null): number {
    return this.all.findIndex((region) => address?.startsWith(region.name) && this.address(region.index) === address);
  }
}

export const NO_REGIONS = new Regions({ words: [], parents: [], centres: [], outlines: [] }, new Uint16Array());

/** A closed curve through corners, as the path of a drawing: it touches the middle of each side. */
export function smoothPath(outline: [number, number][]): string {
  const middle = (at: number) => {
    const [a, b] = [outline[at % outline.length], outline[(at + 1) % outline.length]];
    return `${digits((a[0] + b[0]) / 2)} ${digits((a[1] + b[1]) / 2)}`;
  };
  const curves = outline.map((_, at) => `Q${outline[(at + 1) % outline.length].map(digits).join(" ")} ${middle(at + 1)}`);
  return `M${middle(0)}${curves.join("")}Z`;
}

function digits(value: number): string {
  return String(Number(value.toFixed(5)));
}

function corners(steps: number[]): [number, number][] {
  const found: [number, number][] = [];
  let [x, y] = [0, 0];
  for (let at = 0; at < steps.length; at += 2) {
    x += steps[at];
    y += steps[at + 1];
    found.push([x / STEPS, y / STEPS]);
  }
  return found;
}

function boxAround(outlines: [number, number][][], x: number, y: number): Box {
  const places = [[x, y], ...outlines.flat()];
  const [xs, ys] = [places.map((place) => place[0]), places.map((place) => place[1])];
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

function diameterOf(outlines: [number, number][][]): number {
  const area = outlines.reduce((sum, outline) => sum + Math.abs(areaWithin(outline)), 0);
  return Math.sqrt((4 * area) / Math.PI);
}

function areaWithin(outline: [number, number][]): number {
  return outline.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = outline[(at + 1) % outline.length];
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);
}
