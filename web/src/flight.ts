// A smooth path from one view to another, zooming out and in again where they are far apart: the optimal path of van Wijk
// and Nuij (Smooth and efficient zooming and panning, 2003), whose symbols these are.

import type { View } from "./camera";

const RHO = 1.4; // how much zooming there is beside panning

interface Flight {
  length: number;
  at(t: number): View; // for t from 0 to 1
}

export function flightPath(from: View, to: View, width: number): Flight {
  const [w0, w1] = [width / from.k, width / to.k];
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const u1 = Math.hypot(dx, dy);
  if (u1 < 1e-9 * w0) {
    const length = Math.abs(Math.log(w1 / w0)) / RHO;
    return { length, at: (t) => ({ x: to.x, y: to.y, k: from.k * (to.k / from.k) ** t }) };
  }
  const bend = (sign: number, w: number) => {
    const b = (w1 * w1 - w0 * w0 + sign * RHO ** 4 * u1 * u1) / (2 * w * RHO * RHO * u1);
    return Math.log(Math.sqrt(b * b + 1) - b);
  };
  const [r0, r1] = [bend(1, w0), bend(-1, w1)];
  const length = Math.abs(r1 - r0) / RHO;
  return {
    length,
    at(t) {
      const s = t * length * RHO * Math.sign(r1 - r0) + r0;
      const u = (w0 / (RHO * RHO)) * (Math.cosh(r0) * Math.tanh(s) - Math.sinh(r0));
      return { x: from.x + (dx * u) / u1, y: from.y + (dy * u) / u1, k: (from.k * Math.cosh(s)) / Math.cosh(r0) };
    },
  };
}
