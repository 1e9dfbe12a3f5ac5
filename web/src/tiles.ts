// Every picture of the map as a small tile: cut from the sheets of thumbnails one after the other, when the map is there.

import type { Camera } from "./camera";
import type { Content, Domain } from "./content";
import { thumbnailSize } from "./marks";
import type { Pause } from "./sorting";

const LARGEST_TILE = 48; // pixels of a texture
const SMALLEST_TILE = 8;
const TEXTURE = 4096; // pixels of the side of a texture at most; all WebGL 2 has room for 2,048
const MOST_TILES = 120_000; // pictures; the rest stay dots where there are more, which would take long to load
const FILLED = 0.8; // share of the map's width that tiles side by side would take in the overview
const NARROWEST = 5; // pixels on the screen

/** Takes the pixels of a picture: red, green, blue and opacity, row after row. */
type Put = (item: number, pixels: Uint8ClampedArray) => void;

/** Kinds with pictures, and how many pictures they have together. */
function pictured(content: Content): { kinds: Domain[]; count: number } {
  const kinds = content.domains.filter((domain) => domain.about.thumbnails);
  return { kinds, count: kinds.reduce((sum, kind) => sum + kind.count, 0) };
}

/** How many tiles of how many pixels a texture has in a row and in a column. */
export function tileGrid(content: Content, most: number): { side: number; row: number } {
  const { kinds, count } = pictured(content);
  const row = Math.max(1, Math.ceil(Math.sqrt(Math.min(count, MOST_TILES))));
  const own = Math.max(1, ...kinds.map((kind) => kind.about.thumbnails!.side));
  const fitting = Math.floor(Math.min(TEXTURE, most) / row);
  return { side: Math.max(SMALLEST_TILE, Math.min(LARGEST_TILE, own, fitting)), row };
}

/** The side of the tiles on the screen: in the overview they would fill it side by side; closer, they grow to thumbnails. */
export function tileSize(content: Content, camera: Camera): number {
  const { kinds, count } = pictured(content);
  if (!count) return 0;
  const overview = (FILLED * Math.min(camera.width, camera.height)) / Math.sqrt(count);
  const usual = Math.max(...kinds.map((kind) => thumbnailSize(content, kind, camera.k)));
  return Math.min(usual, Math.max(NARROWEST, (overview * camera.k) / camera.whole.k));
}

/** Cut tiles of all pictures, sheet by sheet, those that are shown first in an overview first, until told to stop. */
export async function cutTiles(content: Content, side: number, put: Put, pause: Pause, stopped: () => boolean): Promise<void> {
  let left = MOST_TILES;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  for (const domain of pictured(content).kinds) {
    const { tree, about } = domain;
    for (const node of tree?.nodes ?? []) {
      if (stopped() || left <= 0) return;
      const bitmap = await sheetOf(content, domain, node.number);
      if (!bitmap) continue;
      const { side: own, gutter } = about.thumbnails!;
      const columns = Math.ceil(Math.sqrt(node.count));
      canvas.width = columns * side;
      canvas.height = Math.ceil(node.count / columns) * side;
      context.imageSmoothingQuality = "high";
      for (let slot = 0; slot < node.count; slot++) {
        const [column, row] = [slot % columns, Math.floor(slot / columns)];
        const [sx, sy] = [column, row].map((place) => place * (own + 2 * gutter) + gutter);
        context.drawImage(bitmap, sx, sy, own, own, column * side, row * side, side, side);
      }
      bitmap.close();
      for (let slot = 0; slot < node.count; slot++) {
        const [column, row] = [slot % columns, Math.floor(slot / columns)];
        put(domain.start + tree!.order[node.start + slot], context.getImageData(column * side, row * side, side, side).data);
      }
      left -= node.count;
      await pause();
    }
  }
}

async function sheetOf(content: Content, domain: Domain, node: number): Promise<ImageBitmap | null> {
  try {
    const bytes = await content.source.part(`sheet-${domain.index}-${node}`);
    return await createImageBitmap(new Blob([bytes], { type: "image/webp" }));
  } catch {
    return null; // its pictures stay dots; the sheets that are looked at are asked for again
  }
}
