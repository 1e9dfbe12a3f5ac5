// Sheets of thumbnails, loaded when they are needed; the least recently used are evicted.

import type { Content, Domain } from "./content";

const MOST_SHEETS = matchMedia("(max-width: 640px)").matches ? 24 : 64; // sheets of at most 4 MB each

const RETRY_DELAY = 4000; // milliseconds until a sheet that could not be loaded is requested again
const TRIES = 3;

interface Sheet {
  bitmap: ImageBitmap;
  used: number; // the frame it was last drawn in
}

export class Sheets {
  private readonly ready = new Map<string, Sheet>();
  private readonly loading = new Set<string>();
  private readonly failures = new Map<string, number>();
  private frame = 0;
  private destroyed = false;

  /** `onLoad` is called whenever a requested sheet has been loaded. */
  constructor(
    private readonly content: Content,
    private readonly onLoad: () => void,
  ) {}

  /** Start a frame: the sheets drawn in it are not evicted, however many there are. */
  beginFrame(): void {
    this.frame++;
  }

  /** A sheet, or null while it is loading. */
  private get(domain: Domain, node: number): ImageBitmap | null {
    const key = `${domain.index}-${node}`;
    const found = this.ready.get(key);
    if (found) {
      found.used = this.frame;
      this.ready.delete(key); // moved to the end: most recently used
      this.ready.set(key, found);
      return found.bitmap;
    }
    if (!this.loading.has(key) && (this.failures.get(key) ?? 0) < TRIES) void this.fetch(key);
    return null;
  }

  /** Whether an item's sheet is loaded or loading, so that drawing it requests nothing more. */
  has(item: number): boolean {
    const domain = this.content.domain(item);
    if (!domain.tree) return false;
    const key = `${domain.index}-${domain.tree.nodeOf[item - domain.start]}`;
    return this.ready.has(key) || this.loading.has(key);
  }

  private async fetch(key: string): Promise<void> {
    this.loading.add(key);
    try {
      const bytes = await this.content.source.part(`sheet-${key}`);
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/webp" }));
      if (this.destroyed) return bitmap.close();
      this.ready.set(key, { bitmap, used: this.frame });
      this.evict();
      this.loading.delete(key);
      this.onLoad();
    } catch (error) {
      if (this.destroyed) return;
      console.warn(`mrsne: thumbnails ${key} cannot be shown`, error);
      this.failures.set(key, (this.failures.get(key) ?? 0) + 1);
      window.setTimeout(() => {
        this.loading.delete(key);
        if (!this.destroyed) this.onLoad();
      }, RETRY_DELAY);
    }
  }

  private evict(): void {
    for (const [key, sheet] of this.ready) {
      if (this.ready.size <= MOST_SHEETS) return;
      if (sheet.used >= this.frame - 1) continue;
      sheet.bitmap.close();
      this.ready.delete(key);
    }
  }

  /** Draw the thumbnail of an item; false while it is loading, or if there is none. */
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

  /** Draw an item's thumbnail over a whole canvas; false while it is loading, or if there is none. */
  paintPreview(canvas: HTMLCanvasElement, item: number): boolean {
    const context = canvas.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = "high";
    return this.paint(context, item, canvas.width / 2, canvas.height / 2, canvas.width);
  }

  destroy(): void {
    this.destroyed = true;
    for (const { bitmap } of this.ready.values()) bitmap.close();
    this.ready.clear();
  }
}
