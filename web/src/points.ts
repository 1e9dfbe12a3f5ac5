// A dot for every item, drawn by WebGL or, without it, on a plain canvas.

import type { Camera } from "./camera";
import type { Colouring } from "./colouring";
import type { Content } from "./content";
import { UNSELECTED, dotSizeIn } from "./dots";
import type { Layers } from "./layers";
import { tracePath } from "./shapes";
import type { Theme } from "./themes";
import { WebGLPoints } from "./webglpoints";

export const NO_WEBGL = "WebGL is not available in this browser, so the map is drawn in a simpler, slower way.";

export interface Points {
  readonly canvas: HTMLCanvasElement;
  /** Draw what the camera sees, then call `then`. */
  draw(camera: Camera, then: () => void): void;
  /** Use colours; `framed` where pictures have frames in them, as they come from a column. */
  colour(colouring: Colouring, theme: Theme, framed: boolean): void;
  /** Draw these dots from now on. */
  show(layers: Layers): void;
  /** Change to a size in pixels, and to a number of device pixels for each. */
  resize(width: number, height: number, density: number): void;
  /** Draw a picture in place of its item's dot; null where pictures are only drawn as thumbnails. */
  putTile: ((item: number, pixels: Uint8ClampedArray) => void) | null;
  readonly tileSide: number; // pixels of a side
  destroy(): void;
}

/** Dots by WebGL if possible; `onLost` is called if the browser takes the context away, as it does where there are too many. */
export function createPoints(content: Content, onLost: () => void): { points: Points; accelerated: boolean } {
  try {
    return { points: new WebGLPoints(content, onLost), accelerated: true };
  } catch (error) {
    console.warn("mrsne: no WebGL, drawing on a plain canvas", error);
    return { points: new CanvasPoints(content), accelerated: false };
  }
}

export class CanvasPoints implements Points {
  readonly canvas = document.createElement("canvas");
  readonly putTile = null;
  readonly tileSide = 0;
  private colouring: Colouring | null = null;
  private theme: Theme | null = null;
  private density = 1;
  private layers: Layers = { items: new Uint32Array(), dimmed: 0, plain: 0, selected: 0 };

  constructor(private readonly content: Content) {}

  draw(camera: Camera, then: () => void): void {
    const context = this.canvas.getContext("2d");
    if (!context || !this.colouring || !this.theme) return then();
    const { x, y, domainOf } = this.content;
    const { codes, palette } = this.colouring;
    const { items, dimmed, plain, selected } = this.layers;
    context.setTransform(this.density, 0, 0, this.density, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    const size = dotSizeIn(camera, this.content.count);
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      const [px, py] = [camera.screenX(x[item]), camera.screenY(y[item])];
      if (px < 0 || py < 0 || px > camera.width || py > camera.height) continue;
      context.globalAlpha = at < dimmed ? 0.35 : selected && at < dimmed + plain ? 0.8 * UNSELECTED : 0.8;
      context.fillStyle = at < dimmed ? this.theme.muted : palette[codes[item]];
      context.beginPath();
      tracePath(context, domainOf[item], px, py, size);
      context.fill();
    }
    then();
  }

  colour(colouring: Colouring, theme: Theme): void {
    this.colouring = colouring;
    this.theme = theme;
  }

  show(layers: Layers): void {
    this.layers = layers;
  }

  resize(width: number, height: number, density: number): void {
    this.density = density;
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(height * density);
  }

  destroy(): void {}
}
