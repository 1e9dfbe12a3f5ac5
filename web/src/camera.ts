// The view: the middle of the screen in map coordinates (-1 … 1, y upwards), and k pixels for one unit.

import { flightPath } from "./flight";

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface View {
  x: number;
  y: number;
  k: number;
}

const LARGEST_SCALE = 2_000_000; // pixels for one unit; single precision still tells two pixels apart there
const FILLED = 0.94; // share of the free part of the screen that the whole map takes

/** Pixels at the edges of the screen that panels cover. */
export interface Insets {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const NO_INSETS: Insets = { left: 0, right: 0, top: 0, bottom: 0 };

export class Camera {
  x = 0;
  y = 0;
  k = 400;
  width = 1;
  height = 1;
  private insets = NO_INSETS;
  private flight = 0;
  private destination: View | null = null;
  private hasSize = false;

  /** `onChange` is called after every change of the view. */
  constructor(private readonly onChange: () => void) {}

  get view(): View {
    return { x: this.x, y: this.y, k: this.k };
  }

  /** The view, or where a flight is going. */
  get aim(): View {
    return this.destination ?? this.view;
  }

  get isFlying(): boolean {
    return this.destination !== null;
  }

  /** The view that shows the whole map beside the panels. */
  get whole(): View {
    const { left, right, top, bottom } = this.insets;
    const k = (FILLED * Math.max(1, Math.min(this.width - left - right, this.height - top - bottom))) / 2;
    return { x: (right - left) / 2 / k, y: (top - bottom) / 2 / k, k };
  }

  screenX(x: number): number {
    return this.width / 2 + (x - this.x) * this.k;
  }

  screenY(y: number): number {
    return this.height / 2 - (y - this.y) * this.k;
  }

  mapX(pixel: number): number {
    return this.x + (pixel - this.width / 2) / this.k;
  }

  mapY(pixel: number): number {
    return this.y - (pixel - this.height / 2) / this.k;
  }

  /** The part of the map on the screen, and `pixels` around it. */
  box(pixels = 0): Box {
    return {
      x0: this.mapX(-pixels),
      x1: this.mapX(this.width + pixels),
      y0: this.mapY(this.height + pixels),
      y1: this.mapY(-pixels),
    };
  }

  resize(width: number, height: number, insets: Insets): void {
    const [before, aim] = [this.whole, this.aim];
    const untouched = aim.k === before.k && aim.x === before.x && aim.y === before.y;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.insets = insets;
    if (untouched && this.isFlying) this.fly(this.whole);
    else if (untouched || !this.hasSize) this.set(this.whole);
    this.hasSize = true;
    this.onChange();
  }

  look(view: View): void {
    this.stop();
    this.set(view);
  }

  pan(dx: number, dy: number): void {
    this.look({ x: this.x - dx / this.k, y: this.y + dy / this.k, k: this.k });
  }

  /** Zoom about a point of the screen: what is under it stays there. */
  zoom(factor: number, px = this.width / 2, py = this.height / 2): void {
    const k = this.clampScale(this.k * factor);
    const [x, y] = [this.mapX(px), this.mapY(py)];
    this.look({ x: x - (px - this.width / 2) / k, y: y + (py - this.height / 2) / k, k });
  }

  /** The view that shows all of a box beside what is covered, but not closer than `closest`. */
  around(box: Box, closest = LARGEST_SCALE, { left, right, top, bottom }: Insets = NO_INSETS): View {
    const [width, height] = [Math.max(1, this.width - left - right), Math.max(1, this.height - top - bottom)];
    const fitting = 0.8 * Math.min(width / Math.max(box.x1 - box.x0, 1e-9), height / Math.max(box.y1 - box.y0, 1e-9));
    const k = this.clampScale(Math.min(fitting, closest));
    return { x: (box.x0 + box.x1 + (right - left) / k) / 2, y: (box.y0 + box.y1 + (top - bottom) / k) / 2, k };
  }

  /** Move smoothly to a view. */
  fly(goal: View): void {
    this.stop();
    const to = { ...goal, k: this.clampScale(goal.k) };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.set(to);
    this.destination = to;
    const path = flightPath(this.view, to, this.width);
    const began = performance.now();
    const time = Math.min(1400, Math.max(250, 330 * path.length));
    const step = (now: number) => {
      const t = Math.min(1, Math.max(0, (now - began) / time));
      if (t >= 1) this.stop();
      this.set(t < 1 ? path.at(t * t * (3 - 2 * t)) : to);
      if (t < 1) this.flight = requestAnimationFrame(step);
    };
    this.flight = requestAnimationFrame(step);
  }

  stop(): void {
    cancelAnimationFrame(this.flight);
    this.flight = 0;
    this.destination = null;
  }

  private clampScale(k: number): number {
    return Math.min(LARGEST_SCALE, Math.max(this.whole.k / 4, k));
  }

  private set({ x, y, k }: View): void {
    this.x = Math.min(1.5, Math.max(-1.5, x));
    this.y = Math.min(1.5, Math.max(-1.5, y));
    this.k = this.clampScale(k);
    this.onChange();
  }
}
