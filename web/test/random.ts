// Numbers that look random and are the same in every run.

/** A generator of numbers between 0 and 1 (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function between(random: () => number, low: number, high: number): number {
  return low + (high - low) * random();
}

export function integer(random: () => number, below: number): number {
  return Math.floor(below * random());
}

/** Points between -1 and 1, most of them in clusters and some at the same place. */
export function clusteredPoints(random: () => number, count: number): [number, number][] {
  const centres = Array.from({ length: 6 }, () => [between(random, -0.9, 0.9), between(random, -0.9, 0.9)]);
  const points: [number, number][] = [];
  for (let item = 0; item < count; item++) {
    const [x, y] = centres[integer(random, 6)];
    const spread = item % 10 ? 0.1 : 0;
    points.push([Math.fround(x + between(random, -spread, spread)), Math.fround(y + between(random, -spread, spread))]);
  }
  return points;
}
