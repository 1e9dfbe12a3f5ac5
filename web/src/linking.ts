// Two maps of the same items that show the same: what is done in one is done in the other.

import type { View } from "./camera";
import { PLACED, REGION } from "./colouring";
import type { Content } from "./content";
import type { Signal } from "./signal";
import { NO_ITEM, type State } from "./state";

/** For the items of one map, those of the other; NO_ITEM where there is none. */
export interface Matches {
  there: Int32Array; // of the first map's items, in the second
  back: Int32Array;
}

/** Both directions, from one. */
export function bothWays(there: Int32Array, count: number): Matches {
  const back = new Int32Array(count).fill(NO_ITEM);
  there.forEach((other, item) => {
    if (other !== NO_ITEM) back[other] = item;
  });
  return { there, back };
}

/** Let a signal follow another and the other way round; a change that came from one side is not sent back to it. */
function linkSignals<T>(one: Signal<T>, other: Signal<T>, there: (value: T) => T, back: (value: T) => T): void {
  let following = false;
  const follow = (from: Signal<T>, to: Signal<T>, translated: (value: T) => T) =>
    from.on((value) => {
      if (following) return;
      following = true;
      to.value = translated(value);
      following = false;
    });
  follow(one, other, there);
  follow(other, one, back);
}

/** Point at, pin and select the same items in both maps, and hide, colour and draw in the same way. */
export function linkStates(states: [State, State], contents: [Content, Content], { there, back }: Matches): void {
  const [one, other] = states;
  const item = (table: Int32Array) => (value: number) => (value === NO_ITEM ? NO_ITEM : table[value]);
  const items = (table: Int32Array) => (values: readonly number[]) =>
    values.map((value) => table[value]).filter((value) => value !== NO_ITEM).sort((a, b) => a - b);
  linkSignals(one.hovered, other.hovered, item(there), item(back));
  linkSignals(one.pinned, other.pinned, item(there), item(back));
  linkSignals(one.selection, other.selection, items(there), items(back));
  linkSignals(one.mode, other.mode, (mode) => mode, (mode) => mode);
  linkSignals(one.theme, other.theme, (theme) => theme, (theme) => theme);
  linkSignals(one.hidden, other.hidden, (hidden) => sameKinds(hidden, contents[0], contents[1]), (hidden) => sameKinds(hidden, contents[1], contents[0]));
  linkSignals(one.colour, other.colour, (key) => sameColumn(key, contents[0], contents[1]), (key) => sameColumn(key, contents[1], contents[0]));
}

/** The kinds of another map that have the same names. */
function sameKinds(kinds: ReadonlySet<number>, from: Content, to: Content): Set<number> {
  const names = [...kinds].map((kind) => from.domains[kind].about.name);
  return new Set(to.domains.filter((domain) => names.includes(domain.about.name)).map((domain) => domain.index));
}

/** The key of the column with the same name, of the kind with the same name; the kinds where there is none. */
export function sameColumn(key: string, from: Content, to: Content): string {
  if (key === PLACED || key === REGION) return key;
  const [index, position] = key.split(".").map(Number);
  const domain = key ? from.domains[index] : undefined;
  const same = to.domains.find((each) => each.about.name === domain?.about.name);
  const at = same?.about.columns.findIndex((column) => column.name === domain?.about.columns[position]?.name) ?? -1;
  return same && at >= 0 ? `${same.index}.${at}` : "";
}

/** A view of one map as a view of the other, in whose coordinates a place is another number. */
export function sameView({ x, y, k }: View, from: Content, to: Content): View {
  const [a, b] = [from.about, to.about];
  const place = (value: number, axis: 0 | 1) => (a.centre[axis] + a.reach * value - b.centre[axis]) / b.reach;
  return { x: place(x, 0), y: place(y, 1), k: (k * b.reach) / a.reach };
}
