import assert from "node:assert/strict";
import test from "node:test";
import { ReasonSource, isFar, nearerItems, placedBetterThan, shownReasons } from "../src/reasons";
import { formatTie, heldBy, leftOut, placement, strained } from "../src/reasonview";
import { type Kind, openMap } from "./maps";

const PHOTOS: Kind = { name: "photo", places: Array.from({ length: 8 }, (_, at): [number, number] => [at / 8, 0]) };
const TAGS: Kind = { name: "tag", places: [[0, 0.1], [1, 1]], names: ["near", "far"] };

/** A part with these affinities of each item: its shares by kind, and the others with their shares. */
function part(items: { byKind: number[]; ties: [number, number][] }[]): ArrayBuffer {
  const byte = (share: number) => Math.round(255 * Math.sqrt(share));
  const ties = items.flatMap((item) => item.ties);
  const planes = [0, 8, 16, 24].flatMap((shift) => ties.map(([other]) => (other >>> shift) & 255));
  return new Uint8Array([
    ...items.flatMap((item) => item.byKind.map(byte)),
    ...items.map((item) => item.ties.length),
    ...ties.map(([, share]) => byte(share)),
    ...planes,
  ]).buffer;
}

const nothing = { byKind: [0, 0], ties: [] as [number, number][] };
const FIRST = part([{ byKind: [0.36, 0.64], ties: [[1, 0.25], [7, 0.09], [8, 0.49], [9, 0.16]] }, ...Array.from({ length: 5 }, () => nothing)]);
const SECOND = part([{ byKind: [1, 0], ties: [[0, 0.04]] }, ...Array.from({ length: 3 }, () => nothing)]);

async function source() {
  const about = { chunk: 6, alike: ["vector", "shared links"] };
  const links: [number, number][] = [[0, 0], [0, 1]];
  const content = await openMap([PHOTOS, TAGS], [{ a: 0, b: 1, links }], { reasons: about }, { "reasons-0": FIRST, "reasons-1": SECOND });
  return { content, source: new ReasonSource(content, about) };
}

test("affinities come from the part of their item, with their shares", async () => {
  const { source: reasons } = await source();
  const found = await reasons.of(0);
  assert.deepEqual(found.alike.map((tie) => tie.item), [1, 7]);
  assert.deepEqual(found.linked.map((tie) => tie.item), [8, 9]);
  [0.25, 0.09, 0.49, 0.16].forEach((share, at) => assert.equal(Math.abs([...found.alike, ...found.linked][at].share - share) < 0.005, true));
  assert.equal(Math.abs(found.byKind[1] - 0.64) < 0.005, true);
  assert.deepEqual((await reasons.of(6)).alike.map((tie) => tie.item), [0]);
  assert.deepEqual(await reasons.of(2), { byKind: [0, 0], alike: [], linked: [] });
});

test("a tie is far where a quarter of a small kind, or 100 items, lie nearer and are not linked", async () => {
  const { content, source: reasons } = await source();
  const nearer = (other: number, ...linked: number[]) => nearerItems(content, 0, other, new Set(linked));
  assert.deepEqual([nearer(1), nearer(7), nearer(9)], [0, 6, 1]);
  assert.deepEqual([nearer(7, 2, 3, 7), nearer(9, 8, 9)], [4, 0]); // what it is linked to may well be nearer
  const found = await reasons.of(0);
  assert.deepEqual([...found.alike, ...found.linked].map((tie) => tie.far), [false, true, false, false]);
  assert.deepEqual([isFar(99, 5000), isFar(100, 5000)], [false, true]);
});

test("items of one kind that are linked are listed with the links", async () => {
  const about = { chunk: 8, alike: ["vector"] };
  const one = part([{ byKind: [1], ties: [[1, 0.25], [2, 0.5]] }, ...Array.from({ length: 7 }, () => ({ byKind: [0], ties: [] as [number, number][] }))]);
  const content = await openMap([PHOTOS], [{ a: 0, b: 0, links: [[0, 2]] }], { reasons: about }, { "reasons-0": one });
  const found = await new ReasonSource(content, about).of(0);
  assert.deepEqual([found.alike.map((tie) => tie.item), found.linked.map((tie) => tie.item)], [[1], [2]]);
});

test("a sentence tells what holds an item", async () => {
  const { content, source: reasons } = await source();
  const found = await reasons.of(0);
  assert.equal(heldBy(content, 0, found, "vector"), "Held by links to tag (64 %) and by likeness within photo (36 %).");
  assert.equal(heldBy(content, 8, { ...found, byKind: [0, 1] }, "shared links"), "Held by shared links within tag (100 %).");
  assert.equal(heldBy(content, 2, await reasons.of(2), "vector").startsWith("Nothing draws it anywhere"), true);
});

test("a sentence tells how many of the strongest ties the map does not honour", async () => {
  const { source: reasons } = await source();
  const found = await reasons.of(0);
  assert.equal(strained(found), "The map does not honour 1 of its 4 strongest ties: see the dashed line.");
  const both = { ...found, alike: found.alike.map((tie) => ({ ...tie, far: true })) };
  assert.equal(strained(both), "The map does not honour 2 of its 4 strongest ties: see the dashed lines.");
  assert.equal(strained({ ...found, alike: [], linked: found.linked.slice(0, 1) }), "The map honours all of its strongest ties.");
  assert.equal(strained({ byKind: [], alike: [], linked: [] }), "");
});

test("what is not shown is not among the ties, but counted", async () => {
  const { source: reasons } = await source();
  const shown = shownReasons(await reasons.of(0), (item) => item !== 7 && item !== 8);
  assert.deepEqual([shown.alike.map((tie) => tie.item), shown.linked.map((tie) => tie.item), shown.left], [[1], [9], 2]);
  assert.equal(strained(shown), "The map honours all of its strongest ties that are shown.");
  assert.deepEqual([leftOut(1), leftOut(2)], ["1 strong tie is to an item that is not shown.", "2 strong ties are to items that are not shown."]);
});

test("the score of a place has two digits, and is told beside those of its kind", async () => {
  const scores = [0.431579, 0.2, NaN, 0.9, 0.1, NaN, NaN, NaN];
  const content = await openMap([{ ...PHOTOS, columns: [{ name: "how well placed", categories: null, values: scores }], placed: 0 }]);
  assert.equal(placement(content, 0, scores), "0.43 of 1, better than 67 % of photo");
  assert.equal(placement(content, 2, scores), "–");
  assert.equal(placedBetterThan(scores, 3), 1);
  assert.equal(placement(content, 0, [0.5]), "0.50");
});

test("small shares have a digit more", () => {
  assert.deepEqual([0.344, 0.03, 0.0041].map(formatTie), ["34 %", "3 %", "0.4 %"]);
});
