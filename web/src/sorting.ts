// Orders of many items. Values become keys once, whole numbers below MISSING_KEY, and keys are sorted digit by digit: a
// stable order of a million items takes some ten milliseconds.

export const MISSING_KEY = 0xffffffff; // sorted last in both directions
const LARGEST_KEY = MISSING_KEY - 1;
const SORTED_AT_ONCE = 1 << 13; // texts, before they are merged
const CHECKED = 1 << 12; // texts, after which one may have to pause

/** Called now and then during long work; waits where others must have their turn. */
export type Pause = () => Promise<void>;

/** Pauses that leave the page its frames. */
export function pauses(milliseconds = 24): Pause {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < milliseconds) return;
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  };
}

/** Keys of items 0, 1, 2, … */
export function keysBy(count: number, keyOf: (item: number) => number): Uint32Array {
  const keys = new Uint32Array(count);
  for (let item = 0; item < count; item++) keys[item] = keyOf(item); // Uint32Array.from takes ten times as long
  return keys;
}

/** Keys of numbers; those that are not numbers are missing. */
export function numberKeys(values: ArrayLike<number>): Uint32Array {
  const floats = new Float32Array(values.length);
  const keys = new Uint32Array(floats.buffer);
  for (let at = 0; at < keys.length; at++) {
    floats[at] = values[at] + 0; // no negative zero
    if (Number.isNaN(floats[at])) keys[at] = MISSING_KEY;
    else keys[at] = keys[at] & 0x80000000 ? ~keys[at] : keys[at] | 0x80000000;
  }
  return keys;
}

/** A text such that plain comparison puts "photo 2" before "Photo 10" and "zebra", and é beside e. */
export function textKey(text: string): string {
  const plain = /^[\x00-\x7f]*$/.test(text) ? text : text.normalize("NFKD").replace(/\p{Mn}/gu, "");
  return plain
    .trim()
    .toLowerCase()
    .replace(/\d+/g, (digits) => {
      const number = digits.replace(/^0+(?=\d)/, "");
      return String.fromCharCode(47 + Math.min(number.length, 40)) + number; // longer numbers are larger
    });
}

/** Keys of texts: their ranks, the same for texts that differ in case or accents only; blank ones are missing. */
export async function textKeys(texts: readonly (string | null)[], pause: Pause = pauses()): Promise<Uint32Array> {
  const folded: string[] = [];
  for (let at = 0; at < texts.length; at++) {
    folded.push(textKey(texts[at] ?? ""));
    if (at % CHECKED === 0) await pause();
  }
  const known = new Uint32Array(folded.length);
  let count = 0;
  for (let at = 0; at < folded.length; at++) if (folded[at] !== "") known[count++] = at;
  const order = await mergeSorted(
    known.subarray(0, count),
    (a, b) => (folded[a] < folded[b] ? -1 : folded[a] > folded[b] ? 1 : a - b),
    pause,
  );
  const keys = new Uint32Array(texts.length).fill(MISSING_KEY);
  for (let position = 0, rank = 0; position < count; position++) {
    const at = order[position];
    if (position && folded[at] !== folded[order[position - 1]]) rank++;
    keys[at] = rank;
    if (position % CHECKED === 0) await pause();
  }
  return keys;
}

async function mergeSorted(order: Uint32Array<ArrayBuffer>, compare: (a: number, b: number) => number, pause: Pause): Promise<Uint32Array> {
  const { length } = order;
  for (let from = 0; from < length; from += SORTED_AT_ONCE) {
    order.subarray(from, from + SORTED_AT_ONCE).sort(compare);
    await pause();
  }
  let [source, target] = [order, new Uint32Array(length)];
  for (let width = SORTED_AT_ONCE; width < length; width *= 2) {
    for (let from = 0; from < length; from += 2 * width) {
      const [middle, end] = [Math.min(from + width, length), Math.min(from + 2 * width, length)];
      let [a, b] = [from, middle];
      for (let at = from; at < end; at++) {
        const left = a < middle && (b >= end || compare(source[a], source[b]) <= 0);
        target[at] = left ? source[a++] : source[b++];
        if (at % CHECKED === 0) await pause();
      }
    }
    [source, target] = [target, source];
  }
  return source;
}

/** Items in the order of their keys, missing ones last; of equal keys, in the order in which they were. */
export function sortedByKey(items: Uint32Array, keyOf: (item: number) => number, descending: boolean): Uint32Array {
  let keys = new Uint32Array(items.length);
  for (let at = 0; at < items.length; at++) {
    const key = keyOf(items[at]);
    keys[at] = descending && key !== MISSING_KEY ? LARGEST_KEY - key : key;
  }
  let order = items.slice();
  let [nextKeys, nextOrder] = [new Uint32Array(items.length), new Uint32Array(items.length)];
  for (const shift of [0, 16]) {
    const starts = new Uint32Array(0x10001);
    for (const key of keys) starts[((key >>> shift) & 0xffff) + 1]++;
    if (starts.includes(items.length)) continue; // all have the same digit
    for (let digit = 0; digit < 0x10000; digit++) starts[digit + 1] += starts[digit];
    for (let at = 0; at < keys.length; at++) {
      const place = starts[(keys[at] >>> shift) & 0xffff]++;
      nextKeys[place] = keys[at];
      nextOrder[place] = order[at];
    }
    [keys, nextKeys] = [nextKeys, keys];
    [order, nextOrder] = [nextOrder, order];
  }
  return order;
}
