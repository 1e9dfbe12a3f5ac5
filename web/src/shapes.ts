// The shape of a dot tells its kind, whatever its colour stands for.

/** Circle, diamond, triangle and square, in turn; webglpoints.ts draws the same. */
export const SHAPES = 4;

/** The corners of a shape around (0, 0), within a circle of diameter 1.24 and as large as one of diameter 1; none for a circle. */
export const CORNERS: [number, number][][] = [
  [],
  [[0, -0.62], [0.62, 0], [0, 0.62], [-0.62, 0]],
  [[0, -0.66], [0.6, 0.46], [-0.6, 0.46]],
  [[-0.44, -0.44], [0.44, -0.44], [0.44, 0.44], [-0.44, 0.44]],
];

/** Add the shape of a kind to a path. */
export function tracePath(context: CanvasRenderingContext2D, kind: number, x: number, y: number, size: number): void {
  const corners = CORNERS[kind % SHAPES];
  if (!corners.length) context.arc(x, y, size / 2, 0, 2 * Math.PI);
  corners.forEach(([dx, dy], at) => (at ? context.lineTo(x + dx * size, y + dy * size) : context.moveTo(x + dx * size, y + dy * size)));
  if (corners.length) context.closePath();
}
