// Sheets of thumbnails, decoded when they are needed; those that were not needed for longest are given back.

import type { Content, Domain } from "./content";

const KEPT = matchMedia("(max-width: 640px)").matches ? 24 : 64; // sheets of at most 4 MB each

const PATIENCE = 4000; // milliseconds until what could not be had is asked for again
const TRIES = 3;

interface Sheet {
  bitmap: ImageBitmap;
  used: number; // the frame it was last drawn in
}

export class Sheets {
  private readonly ready = new Map<string, Sheet>();
  private readonly coming = new Set<string>();
  private readonly failures = new Map<string, number>();
  private frame = 0;
  private destroyed = false;

  /** `arrived` is called when a sheet that was asked for is there. */
  constructor(
    private readonly content: Content,
    private readonly arrived: () => void,
  ) {}

  /** Say that a frame begins: what it draws is kept, however much it is. */
  begin(): void {
    this.frame++;
  }

  /** A sheet, or null while it is on its way. */
  private get(domain: Domain, node: number): ImageBitmap | null {
    const key = `${domain.index}-${node}`;
    const found = this.ready.get(key);
    if (found) {
      found.used = this.frame;
      this.ready.delete(key); // to the end: used last
      this.ready.set(key, found);
      return found.bitmap;
    }
    if (!this.coming.has(key) && (this.failures.get(key) ?? 0) < TRIES) void this.fetch(key);
    return null;
  }

  /** Whether an item's sheet is there or on its way, so that drawing it asks for nothing more. */
  has(item: number): boolean {
    const domain = this.content.domain(item);
    if (!domain.tree) return false;
    const key = `${domain.index}-${domain.tree.nodeOf[item - domain.start]}`;
    return this.ready.has(key) || this.coming.has(key);
  }

  private async fetch(key: string): Promise<void> {
    this.coming.add(key);
    try {
      const bytes = await this.content.source.part(`sheet-${key}`);
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/webp" }));
      if (this.destroyed) return bitmap.close();
      this.ready.set(key, { bitmap, used: this.frame });
      this.giveBack();
      this.coming.delete(key);
      this.arrived();
    } catch (error) {
      if (this.destroyed) return;
      console.warn(`mrsne: thumbnails ${key} cannot be shown`, error);
      this.failures.set(key, (this.failures.get(key) ?? 0) + 1);
      window.setTimeout(() => {
        this.coming.delete(key);
        if (!this.destroyed) this.arrived();
      }, PATIENCE);
    }
  }

  private giveBack(): void {
    for (const [key, sheet] of this.ready) {
      if (this.ready.size <= KEPT) return;
      if (sheet.used >= this.frame - 1) continue;
      sheet.bitmap.close();
      this.ready.delete(key);
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
    const { side, gutter } = domain.about.thumbnails;
    const pitch = side + 2 * gutter;
    const columns = Math.ceil(Math.sqrt(node.count));
    const slot = domain.tree.slotOf[own];
    const [sx, sy] = [(slot % columns) * pitch + gutter, Math.floor(slot / columns) * pitch + gutter];
    context.drawImage(bitmap, sx, sy, side, side, x - size / 2, y - size / 2, size, size);
    return true;
  }

  destroy(): void {
    this.destroyed = true;
    for (const { bitmap } of this.ready.values()) bitmap.close();
    this.ready.clear();
  }
}
