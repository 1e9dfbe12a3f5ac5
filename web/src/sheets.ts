// Sheets of thumbnails, decoded when they are needed; those that were not needed for longest are given back.

import type { Content, Domain } from "./content";

const KEPT = matchMedia("(max-width: 640px)").matches ? 24 : 64; // sheets of at most 4 MB each

export class Sheets {
  private readonly ready = new Map<string, ImageBitmap>();
  private readonly coming = new Set<string>();

  /** `arrived` is called when a sheet that was asked for is there. */
  constructor(
    private readonly content: Content,
    private readonly arrived: () => void,
  ) {}

  /** A sheet, or null while it is on its way. */
  get(domain: Domain, node: number): ImageBitmap | null {
    const key = `${domain.index}-${node}`;
    const found = this.ready.get(key);
    if (found) {
      this.ready.delete(key); // to the end: used last
      this.ready.set(key, found);
      return found;
    }
    if (!this.coming.has(key)) void this.fetch(key);
    return null;
  }

  private async fetch(key: string): Promise<void> {
    this.coming.add(key);
    try {
      const bytes = await this.content.source.part(`sheet-${key}`);
      this.ready.set(key, await createImageBitmap(new Blob([bytes], { type: "image/webp" })));
      for (const [old, bitmap] of this.ready) {
        if (this.ready.size <= KEPT) break;
        bitmap.close();
        this.ready.delete(old);
      }
      this.coming.delete(key);
      this.arrived();
    } catch (error) {
      console.warn(`mrsne: thumbnails ${key} cannot be shown`, error); // stays among the coming: not asked again
    }
  }

  /** Draw the thumbnail of an item; false while it is on its way, or if there is none. */
  paint(context: CanvasRenderingContext2D, item: number, x: number, y: number, size: number): boolean {
    const domain = this.content.domain(item);
    if (!domain.about.thumbnails || !domain.tree) return false;
    const own = item - domain.start;
    const node = domain.tree.nodes[domain.tree.nodeOf[own]];
    const bitmap = this.get(domain, node.number);
    if (!bitmap) return false;
    const side = domain.about.thumbnails.side;
    const columns = Math.ceil(Math.sqrt(node.count));
    const slot = domain.tree.slotOf[own];
    const [sx, sy] = [(slot % columns) * side, Math.floor(slot / columns) * side];
    context.drawImage(bitmap, sx, sy, side, side, x - size / 2, y - size / 2, size, size);
    return true;
  }

  destroy(): void {
    for (const bitmap of this.ready.values()) bitmap.close();
    this.ready.clear();
  }
}
