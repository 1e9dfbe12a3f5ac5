// How large and how opaque the dots are.

import type { Camera } from "./camera";

const LARGEST = 10; // pixels; at deep zoom
export const UNSELECTED = 0.25; // share of the opacity of dots beside selected ones

/** The diameter of a dot in pixels: smaller for many items and small screens, larger where one has zoomed in. */
export function dotSize(count: number, side = 900, zoom = 1): number {
  const overview = Math.min(7, Math.max(1, (0.4 * Math.min(900, side)) / Math.sqrt(Math.max(1, count))));
  return Math.min(LARGEST, overview * Math.max(1, Math.asinh(zoom) / Math.asinh(1)));
}

/** The diameter of a dot in what a camera sees, in half pixels: a new size costs a frame. */
export function dotSizeIn(camera: Camera, count: number): number {
  const size = dotSize(count, Math.min(camera.width, camera.height), camera.k / camera.whole.k);
  return Math.max(1, Math.round(2 * size) / 2);
}

export function dotOpacity(count: number): number {
  return Math.min(0.9, Math.max(0.25, 60 / Math.sqrt(Math.max(1, count))));
}
