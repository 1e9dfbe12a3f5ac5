import assert from "node:assert/strict";
import test from "node:test";
import { PLACED } from "../src/colouring";
import { formatMoved, lastRanking, ranking, shareKept } from "../src/comparepanel";
import { bothWays, linkStates, sameColumn, sameView } from "../src/linking";
import { NO_ITEM, State } from "../src/state";
import { THEMES } from "../src/themes";
import { type Kind, openMap } from "./maps";

const year = { name: "year", categories: null, values: [1, 2] };
const size = { name: "size", categories: null, values: [1, 2] };
const ONE: Kind[] = [{ name: "photo", places: [[0, 0], [1, 0]], columns: [year, size] }, { name: "tag", places: [[0, 1]] }];
const OTHER: Kind[] = [{ name: "tag", places: [[0, 1]] }, { name: "photo", places: [[0, 0], [1, 0]], columns: [size] }];
const MATCHES = bothWays(new Int32Array([2, NO_ITEM, 0]), 3); // the second photo is in the first map only

async function linked() {
  const contents = [await openMap(ONE), await openMap(OTHER)] as const;
  const states: [State, State] = [new State("light"), new State("light")];
  linkStates(states, [...contents], MATCHES);
  return { contents, states };
}

test("matches lead there and back", () => {
  assert.deepEqual([...MATCHES.back], [2, NO_ITEM, 0]);
});

test("pointing, pinning and selecting in one map do the same in the other", async () => {
  const { states: [one, other] } = await linked();
  one.hovered.value = 0;
  assert.equal(other.hovered.value, 2);
  other.hovered.value = 0;
  assert.equal(one.hovered.value, 2);
  one.pinned.value = 2;
  assert.equal(other.pinned.value, 0);
  one.selection.value = [0, 1, 2];
  assert.deepEqual(other.selection.value, [0, 2]);
  other.theme.value = THEMES.dark;
  assert.equal(one.theme.value.name, "dark");
});

test("an item that is in one map only stays pointed at there, and nothing is in the other", async () => {
  const { states: [one, other] } = await linked();
  one.hovered.value = 0;
  one.hovered.value = 1;
  assert.deepEqual([one.hovered.value, other.hovered.value], [1, NO_ITEM]);
  one.selection.value = [1];
  assert.deepEqual([one.selection.value, other.selection.value], [[1], []]);
});

test("kinds and columns are those of the same name, wherever they stand", async () => {
  const { states: [one, other], contents } = await linked();
  one.hidden.value = new Set([0]);
  assert.deepEqual([...other.hidden.value], [1]);
  one.colour.value = "0.1";
  assert.equal(other.colour.value, "1.0");
  assert.deepEqual(["0.0", "", PLACED].map((key) => sameColumn(key, ...contents)), ["", "", PLACED]);
});

test("a view of one map is the same part of the other", async () => {
  const one = await openMap(ONE, [], { centre: [10, 0], reach: 2 });
  const other = await openMap(OTHER, [], { centre: [8, 1], reach: 4 });
  const view = sameView({ x: 0.5, y: 1, k: 100 }, one, other);
  assert.deepEqual(view, { x: 0.75, y: 0.25, k: 200 });
  assert.deepEqual(sameView(view, other, one), { x: 0.5, y: 1, k: 100 });
});

const COMPARED = {
  matches: bothWays(new Int32Array([0, 1, 2, NO_ITEM, 3]), 4),
  moved: new Float32Array([0.1, 2, 0.5, NaN, 0]),
  kept: new Uint32Array([0, 8, 0, 0, 10]),
  neighbours: 10,
};

test("what changed most comes first, and what did not change is left out", () => {
  assert.deepEqual(ranking(COMPARED, "kept", null), [2, 0, 1]);
  assert.deepEqual(ranking(COMPARED, "moved", null), [1, 2, 0]);
  assert.deepEqual(ranking(COMPARED, "moved", [0, 1, 3]), [1, 0]);
});

test("a ranking is computed once for an order and a selection", () => {
  const ranked = lastRanking(COMPARED);
  const [all, chosen] = [ranked("kept", null), [0, 1, 3]];
  assert.equal(ranked("kept", null), all);
  assert.deepEqual(all, ranking(COMPARED, "kept", null));
  assert.deepEqual(ranked("moved", chosen), [1, 0]);
  assert.equal(ranked("moved", chosen), ranked("moved", chosen));
  assert.deepEqual(ranked("kept", null), all);
});

test("the share of kept neighbours is of the items in both maps", () => {
  assert.equal(shareKept(COMPARED, null), 18 / 4 / 10);
  assert.equal(shareKept(COMPARED, [1, 3]), 0.8);
  assert.equal(shareKept(COMPARED, [3]), null);
  assert.equal(formatMoved(2.7049), "2.70 radii");
});
