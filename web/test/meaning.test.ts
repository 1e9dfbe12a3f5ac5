import assert from "node:assert/strict";
import test from "node:test";
import { Meaning } from "../src/meaning";
import { Search } from "../src/search";
import { openMap } from "./maps";

const FUNCTION_WORDS = Array.from({ length: 98 }, (_, at) => `function${at}`);

type Entry = [word: string, names: [item: number, closeness: number][]];

/** A part as meaning.py writes it. */
function part(entries: Entry[]): ArrayBuffer {
  const all = entries.flatMap(([, names]) => names);
  const bytes = [
    ...entries.map(([, names]) => names.length),
    ...all.map(([, closeness]) => Math.round(255 * closeness)),
    ...[0, 8, 16, 24].flatMap((shift) => all.map(([item]) => (item >>> shift) & 255)),
    ...new TextEncoder().encode(entries.map(([word]) => word).join("\n")),
  ];
  return new Uint8Array([...new Uint8Array(new Uint32Array([entries.length, all.length]).buffer), ...bytes]).buffer;
}

/** Photos 0 to 3, and the tags dog (4), pet (5), sad (6) and old (7). */
async function find(text: string) {
  const places = [0, 1, 2, 3].map((x): [number, number] => [x, 0]);
  const words: Entry[] = [
    ...["the", "of", ...FUNCTION_WORDS].map((word): Entry => [word, []]),
    ["puppy", [[4, 0.8], [5, 0.6]]],
    ["unhappy", [[6, 0.6]]],
    ["elderly", [[7, 1]]],
    ["lady", [[4, 0.4]]],
  ];
  const content = await openMap(
    [{ name: "photo", places }, { name: "tag", places, names: ["dog", "pet", "sad", "old"] }],
    [{ a: 0, b: 1, links: [[0, 0], [1, 1], [2, 2], [2, 3], [3, 3]] }],
    { meaning: { words: 50_000 } },
    { meaning: part(words) },
  );
  const search = new Search(content);
  const { named, linked, ...more } = await new Meaning(content).find(text, (word) => search.called(word));
  const rounded = (all: typeof named) => all.map(({ item, closeness }) => [item, Math.round(closeness * 10) / 10]);
  return { named: rounded(named), linked: rounded(linked), ...more };
}

test("a word finds names near it and what is linked to them, the nearest first", async () => {
  assert.deepEqual(await find("Puppy"), { named: [[4, 0.8], [5, 0.6]], linked: [[0, 0.8], [1, 0.6]], words: 1, unknown: [] });
});

test("of several words, what is linked to most comes first, and function words say nothing", async () => {
  const { linked, words } = await find("the unhappy, elderly");
  assert.deepEqual(linked, [[2, 0.8], [3, 0.5]]);
  assert.equal(words, 2);
});

test("plurals stand for their singulars, also of names, and names for themselves", async () => {
  assert.deepEqual((await find("puppies")).named, [[4, 0.8], [5, 0.6]].map((each) => each));
  assert.deepEqual((await find("ladies")).named, [[4, 0.4]]);
  assert.deepEqual((await find("sad")).named, [[6, 1]]);
});

test("words that are near nothing are named", async () => {
  assert.deepEqual(await find("xqzy puppy"), { named: [[4, 0.8], [5, 0.6]], linked: [[0, 0.8], [1, 0.6]], words: 2, unknown: ["xqzy"] });
  assert.deepEqual((await find("of the")).unknown, ["of", "the"]);
});

test("a map without the part knows no words", async () => {
  assert.equal(new Meaning(await openMap([{ name: "tag", places: [[0, 0]], names: ["dog"] }])).exists, false);
});
