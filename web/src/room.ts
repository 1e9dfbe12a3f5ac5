// Pictures where there is room: all that are in view, and larger, instead of a few small ones amid dots.

/** A picture in view: its place on the screen, and how wide it can be without reaching into a name. */
export interface Place {
  x: number;
  y: number;
  widest: number;
}

const FILLED = 0.35; // share of the screen that pictures may take
const SMALLEST = 16; // pixels
const LEAST_SHARE = 0.5; // of its usual side that a picture has
const STEP = 1.12; // between sizes, so that pictures do not grow and shrink with each one that comes into view

/** The most pictures in view for which there is more room than they usually take. */
export function mostWithRoom(width: number, height: number, usual: number): number {
  return Math.floor((FILLED * width * height) / (STEP * usual) ** 2);
}

/** The largest side that `count` pictures can have, at most that of their thumbnails. */
export function roomySide(width: number, height: number, count: number, usual: number, largest: number): number {
  const side = Math.sqrt((FILLED * width * height) / Math.max(1, count));
  const steps = Math.floor(Math.log(side / usual) / Math.log(STEP));
  return Math.max(usual, Math.min(largest, usual * STEP ** steps));
}

/**
 * The side of each picture, in order of importance: the distance of its nearest neighbour, so that none covers another.
 *
 * It is 0, for a dot, where a picture would have less than half of its usual side, beside a name or a more important one.
 */
export function fittedSides(places: Place[], usual: number, largest: number): number[] {
  const least = Math.max(SMALLEST, LEAST_SHARE * usual);
  const shown: number[] = [];
  places.forEach((place, at) => {
    if (place.widest >= least && shown.every((other) => distance(place, places[other]) >= least)) shown.push(at);
  });
  const sides = places.map(() => 0);
  for (const at of shown) {
    sides[at] = Math.min(largest, places[at].widest);
    for (const other of shown) if (other !== at) sides[at] = Math.min(sides[at], distance(places[at], places[other]));
  }
  return sides;
}

/** The side of two equal squares that touch. */
function distance(a: Place, b: Place): number {
  return Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));
}
