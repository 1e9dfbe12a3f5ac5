import assert from "node:assert/strict";
import test from "node:test";
import { Suggestions } from "../src/suggestions";
import { openMap } from "./maps";

/** A part as suggestions.py writes it: for each item, what is suggested and how likely it is. */
function part(items: [item: number, score: number][][]): ArrayBuffer {
  const all = items.flat();
  const planes = [0, 8, 16, 24].flatMap((shift) => all.map(([item]) => (item >>> shift) & 255));
  return new Uint8Array([...items.map((each) => each.length), ...all.map(([, score]) => Math.round(255 * score)), ...planes]).buffer;
}

/** Photos 0 to 2 and the tags sea (3) and "a, b" (4), of which photo 0 has the first. */
async function suggestions(): Promise<Suggestions> {
  const places = [0, 1, 2].map((x): [number, number] => [x, 0]);
  const content = await openMap(
    [{ name: "photo", places }, { name: "tag", places: places.slice(1), names: ["sea", "a, b"] }],
    [{ a: 0, b: 1, links: [[0, 0]] }],
    { suggestions: [{ from: 0, to: 1 }, { from: 1, to: 0 }] },
    { "suggestions-0": part([[[4, 0.2]], [[3, 0.8], [4, 0.4]], []]), "suggestions-1": part([[[1, 0.8]], []]) },
  );
  return new Suggestions(content);
}

test("an item has its suggestions, the likeliest first, from either kind", async () => {
  const found = await suggestions();
  assert.deepEqual((await found.of(1)).map(({ item, score }) => [item, score.toFixed(1)]), [[3, "0.8"], [4, "0.4"]]);
  assert.deepEqual((await found.of(3)).map(({ item }) => item), [1]);
  assert.deepEqual(await found.of(2), []);
});

test("what is accepted is one link from both ends, and can be taken back", async () => {
  const found = await suggestions();
  found.toggle(3, 1);
  assert.deepEqual([found.isAccepted(1, 3), found.isAccepted(3, 1), found.isAccepted(1, 4)], [true, true, false]);
  found.toggle(1, 3);
  assert.deepEqual(found.accepted.value, []);
});

test("the table has all links and the accepted ones, from the first kind to the second", async () => {
  const found = await suggestions();
  assert.deepEqual(found.tables(), []);
  found.toggle(3, 1);
  found.toggle(1, 4);
  assert.deepEqual(found.tables(), [{ name: "photo-tag.csv", text: 'photo,tag\r\n0,sea\r\n1,sea\r\n1,"a, b"\r\n' }]);
});
