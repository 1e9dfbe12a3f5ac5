// A dot for every item, drawn by regl-scatterplot or, without WebGL, on a plain canvas.

import createScatterplot, { createRenderer } from "regl-scatterplot";
import type { Camera, View } from "./camera";
import type { Colouring } from "./colouring";
import type { Content } from "./content";
import { dotOpacity, dotSize, dotSizeIn } from "./dots";

export interface Points {
  readonly canvas: HTMLCanvasElement;
  /** Draw what the camera sees, then call `then`. */
  draw(camera: Camera, then: () => void): void;
  colour(colouring: Colouring, background: string): Promise<void>;
  /** Show these items only; null for all. */
  filter(items: number[] | null): void;
  select(items: number[]): void;
  resize(width: number, height: number): void;
  destroy(): void;
}

/** Dots by WebGL if possible; `onLost` is called if the browser takes the context away, as it does where there are too many. */
export function createPoints(content: Content, onLost: () => void): { points: Points; accelerated: boolean } {
  if (hasWebGL()) {
    try {
      return { points: new WebGLPoints(content, onLost), accelerated: true };
    } catch (error) {
      console.warn("mrsne: WebGL failed, drawing on a plain canvas", error);
    }
  }
  return { points: new CanvasPoints(content), accelerated: false };
}

function hasWebGL(): boolean {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl");
  const found = Boolean(context?.getExtension("OES_texture_float"));
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return found;
}

const SLOW = 50; // milliseconds; where a frame takes longer, the canvas is moved as a picture and drawn when the pointer rests
const REST = 140; // milliseconds without movement

class WebGLPoints implements Points {
  readonly canvas = document.createElement("canvas");
  private readonly plot: ReturnType<typeof createScatterplot>;
  private readonly renderer: ReturnType<typeof createRenderer>;
  private index: ArrayBuffer | undefined;
  private drawnView: View = { x: 0, y: 0, k: 1 };
  private dot = 0; // diameter
  private cost = 0;
  private waiting = 0;
  private size = { width: 1, height: 1 };
  private filtered: number[] | null = null;
  private selected: number[] = [];
  private pending: { view: View; began: number; then: () => void } | null = null;
  private colouring: Promise<void> = Promise.resolve();
  private latest: Colouring | null = null;
  private readonly lost: Promise<void>;
  private destroyed = false;

  constructor(
    private readonly content: Content,
    onLost: () => void,
  ) {
    this.renderer = createRenderer();
    this.lost = new Promise((resolve) => {
      const tell = () => {
        resolve();
        if (!this.destroyed) onLost();
      };
      this.renderer.canvas.addEventListener("webglcontextlost", tell, { once: true });
    });
    this.plot = createScatterplot({
      canvas: this.canvas,
      renderer: this.renderer,
      width: 1,
      height: 1,
      pointSize: dotSize(content.count),
      pointSizeSelected: 1,
      pointOutlineWidth: 0,
      opacity: dotOpacity(content.count),
      opacityInactiveScale: 0.25,
      pointScaleMode: "constant", // the size follows from the zoom
      cameraIsFixed: true,
      deselectOnDblClick: false,
      deselectOnEscape: false,
      syncEvents: true,
    });
    this.plot.subscribe("drawing", () => this.finish());
  }

  draw(camera: Camera, then: () => void): void {
    clearTimeout(this.waiting);
    if (this.cost <= SLOW) return this.render(camera, then);
    const { k } = this.drawnView;
    const scale = camera.k / k;
    const [dx, dy] = [(this.drawnView.x - camera.x) * camera.k, (camera.y - this.drawnView.y) * camera.k];
    this.canvas.style.transform = `translate(${dx}px, ${dy}px) scale(${scale})`;
    then();
    this.waiting = window.setTimeout(() => this.render(camera, then), REST);
  }

  private render(camera: Camera, then: () => void): void {
    const s = (2 * camera.k) / this.size.height;
    const dot = dotSizeIn(camera, this.content.count);
    if (dot !== this.dot) void this.plot.set({ pointSize: dot });
    this.dot = dot;
    this.pending = { view: camera.view, began: performance.now(), then };
    this.plot.view([s, 0, 0, 0, 0, s, 0, 0, 0, 0, 1, 0, -camera.x * s, -camera.y * s, 0, 1], { preventEvent: true });
  }

  private finish(): void {
    if (!this.pending) return;
    const { view, began, then } = this.pending;
    this.pending = null;
    this.drawnView = view;
    this.canvas.style.transform = "";
    then();
    requestAnimationFrame(() => {
      this.cost = 0.7 * this.cost + 0.3 * Math.min(400, performance.now() - began);
    });
  }

  /** Colour the dots, one colouring after another: regl-scatterplot refuses a second while it draws the first. */
  colour(colouring: Colouring, background: string): Promise<void> {
    this.latest = colouring;
    const apply = () => (this.latest === colouring ? this.apply(colouring, background) : undefined);
    this.colouring = this.colouring.then(apply, apply);
    return this.colouring;
  }

  private async apply(colouring: Colouring, background: string): Promise<void> {
    const { palette } = colouring;
    const colours = palette.length > 1 ? palette : [palette[0], palette[0]];
    this.plot.set({
      colorBy: "valueA",
      pointColor: colours,
      pointColorActive: colours as never, // its type allows one colour, its documentation several
      backgroundColor: background,
    });
    const { x, y } = this.content;
    const options = { zDataType: "categorical" as const, preventFilterReset: true };
    const drawn = this.plot.draw({ x, y, valueA: colouring.codes }, this.index ? { ...options, spatialIndex: this.index } : options);
    await Promise.race([drawn, this.lost]); // a lost context never finishes drawing
    if (this.destroyed) return;
    this.index = this.plot.get("spatialIndex");
    if (this.filtered) this.plot.filter(this.filtered, { preventEvent: true });
    if (this.selected.length) this.plot.select([...this.selected], { preventEvent: true });
  }

  filter(items: number[] | null): void {
    this.filtered = items;
    if (items) this.plot.filter(items, { preventEvent: true });
    else this.plot.unfilter({ preventEvent: true });
    if (this.selected.length) this.plot.select([...this.selected], { preventEvent: true }); // filtering deselects
  }

  select(items: number[]): void {
    this.selected = items;
    if (items.length) this.plot.select([...items], { preventEvent: true }); // a copy, since regl-scatterplot removes hidden items in place
    else this.plot.deselect({ preventEvent: true });
  }

  resize(width: number, height: number): void {
    this.size = { width, height };
    void this.plot.set({ width, height });
  }

  destroy(): void {
    this.destroyed = true;
    this.latest = null;
    clearTimeout(this.waiting);
    const context = this.renderer.canvas.getContext("webgl");
    this.plot.destroy();
    this.renderer.destroy();
    if (!context?.isContextLost()) context?.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

export class CanvasPoints implements Points {
  readonly canvas = document.createElement("canvas");
  private colouring: Colouring | null = null;
  private shown: number[] | null = null;
  private selected: Set<number> | null = null;

  constructor(private readonly content: Content) {}

  draw(camera: Camera, then: () => void): void {
    const context = this.canvas.getContext("2d");
    if (!context || !this.colouring) return then();
    const { x, y, count } = this.content;
    const { codes, palette } = this.colouring;
    const ratio = devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    const size = dotSizeIn(camera, count);
    const number = this.shown?.length ?? count;
    for (let at = 0; at < number; at++) {
      const item = this.shown ? this.shown[at] : at;
      const [px, py] = [camera.screenX(x[item]), camera.screenY(y[item])];
      if (px < 0 || py < 0 || px > camera.width || py > camera.height) continue;
      context.globalAlpha = this.selected && !this.selected.has(item) ? 0.15 : 0.8;
      context.fillStyle = palette[codes[item]];
      context.fillRect(px - size / 2, py - size / 2, size, size);
    }
    then();
  }

  async colour(colouring: Colouring): Promise<void> {
    this.colouring = colouring;
  }

  filter(items: number[] | null): void {
    this.shown = items;
  }

  select(items: number[]): void {
    this.selected = items.length ? new Set(items) : null;
  }

  resize(width: number, height: number): void {
    this.canvas.width = width * devicePixelRatio;
    this.canvas.height = height * devicePixelRatio;
  }

  destroy(): void {}
}
