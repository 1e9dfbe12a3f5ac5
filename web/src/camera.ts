// Where one looks: the middle of the screen in the map's coordinates (-1 … 1, y upwards), and pixels for one unit.

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

const CLOSEST = 2_000_000; // pixels for one unit; single precision still tells two pixels apart there
const MARGIN = 0.94; // share of the free part of the screen that the whole map takes

/** Pixels at the sides of the screen that other things take. */
export interface Insets {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export class Camera {
  x = 0;
  y = 0;
  k = 400;
  width = 1;
  height = 1;
  private insets: Insets = { left: 0, right: 0, top: 0, bottom: 0 };
  private flight = 0;
  private destination: View | null = null;
  private seen = false;

  /** `changed` is called whenever one looks elsewhere. */
  constructor(private readonly changed: () => void) {}

  get view(): View {
    return { x: this.x, y: this.y, k: this.k };
  }

  /** Where one looks, or will when a flight is over. */
  get aim(): View {
    return this.destination ?? this.view;
  }

  get whole(): View {
    const { left, right, top, bottom } = this.insets;
    const k = (MARGIN * Math.max(1, Math.min(this.width - left - right, this.height - top - bottom))) / 2;
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

  /** What is on the screen, and `pixels` around it. */
  box(pixels = 0): Box {
    return {
      x0: this.mapX(-pixels),
      x1: this.mapX(this.width + pixels),
      y0: this.mapY(this.height + pixels),
      y1: this.mapY(-pixels),
    };
  }

  resize(width: number, height: number, insets: Insets): void {
    const before = this.whole;
    const untouched = this.k === before.k && this.x === before.x && this.y === before.y;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.insets = insets;
    if (untouched || !this.seen) this.set(this.whole);
    this.seen = true;
    this.changed();
  }

  look(view: View): void {
    this.stop();
    this.set(view);
  }

  pan(dx: number, dy: number): void {
    this.look({ x: this.x - dx / this.k, y: this.y + dy / this.k, k: this.k });
  }

  /** Zoom so that what is under a point of the screen stays there. */
  zoom(factor: number, px = this.width / 2, py = this.height / 2): void {
    const k = this.clamped(this.k * factor);
    const [x, y] = [this.mapX(px), this.mapY(py)];
    this.look({ x: x - (px - this.width / 2) / k, y: y + (py - this.height / 2) / k, k });
  }

  /** The view that shows a box whole, but not closer than `closest`. */
  around(box: Box, closest = CLOSEST): View {
    const k = 0.8 * Math.min(this.width / Math.max(box.x1 - box.x0, 1e-9), this.height / Math.max(box.y1 - box.y0, 1e-9));
    return { x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2, k: this.clamped(Math.min(k, closest)) };
  }

  /** Go to a view, out and in again where it is far (the optimal path of van Wijk and Nuij, 2003). */
  fly(goal: View): void {
    this.stop();
    const to = { ...goal, k: this.clamped(goal.k) };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.set(to);
    this.destination = to;
    const path = smoothPath(this.view, to, this.width);
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

  private clamped(k: number): number {
    return Math.min(CLOSEST, Math.max(this.whole.k / 4, k));
  }

  private set({ x, y, k }: View): void {
    this.x = Math.min(1.5, Math.max(-1.5, x));
    this.y = Math.min(1.5, Math.max(-1.5, y));
    this.k = this.clamped(k);
    this.changed();
  }
}

function smoothPath(from: View, to: View, width: number): { length: number; at(t: number): View } {
  const rho = 1.4;
  const [w0, w1] = [width / from.k, width / to.k];
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const u1 = Math.hypot(dx, dy);
  if (u1 < 1e-9 * w0) {
    const length = Math.abs(Math.log(w1 / w0)) / rho;
    return { length, at: (t) => ({ x: to.x, y: to.y, k: from.k * (to.k / from.k) ** t }) };
  }
  const bend = (sign: number, w: number) => {
    const b = (w1 * w1 - w0 * w0 + sign * rho ** 4 * u1 * u1) / (2 * w * rho * rho * u1);
    return Math.log(Math.sqrt(b * b + 1) - b);
  };
  const [r0, r1] = [bend(1, w0), bend(-1, w1)];
  const length = Math.abs(r1 - r0) / rho;
  return {
    length,
    at(t) {
      const s = t * length * rho * Math.sign(r1 - r0) + r0;
      const u = (w0 / (rho * rho)) * (Math.cosh(r0) * Math.tanh(s) - Math.sinh(r0));
      return { x: from.x + (dx * u) / u1, y: from.y + (dy * u) / u1, k: (from.k * Math.cosh(s)) / Math.cosh(r0) };
    },
  };
}
