import assert from "node:assert/strict";
import test from "node:test";
import type { Content } from "../src/content";
import { Search } from "../src/search";
import { type Relation, openMap } from "./maps";

function map(names: string[], relations: Relation[] = []): Promise<Content> {
  const places = names.map((): [number, number] => [0, 0]);
  return openMap([{ name: "tag", places, names }, { name: "image", places: [[0, 0], [0, 0], [0, 0]] }], relations);
}

async function found(names: string[], text: string, most?: number): Promise<string[]> {
  const content = await map(names);
  return new Search(content).find(text, most).map((item) => content.name(item));
}

test("the whole name comes first, then its beginning, a word's beginning, anywhere, and all words", async () => {
  const names = ["mad hot dogma", "underdog", "hot dog", "dog house", "dog", "cat"];
  assert.deepEqual(await found(names, "dog"), ["dog", "dog house", "mad hot dogma", "hot dog", "underdog"]);
  assert.deepEqual(await found(names, "dog hot"), ["mad hot dogma", "hot dog"]);
  assert.deepEqual(await found(names, "hot dog"), ["hot dog", "mad hot dogma"]);
});

test("of equals, the most linked comes first", async () => {
  const names = ["dog a", "dog b", "dog c"];
  const content = await map(names, [{ a: 1, b: 0, links: [[0, 1], [1, 1], [2, 2]] }]);
  assert.deepEqual(new Search(content).find("dog"), [1, 2, 0]);
});

test("case, accents and forms of letters do not matter", async () => {
  assert.deepEqual(await found(["Piñata", "naïve", "ÉCOLE", "ﬁg"], "PINATA"), ["Piñata"]);
  assert.deepEqual(await found(["Piñata", "naïve", "ÉCOLE", "ﬁg"], "naive"), ["naïve"]);
  assert.deepEqual(await found(["Piñata", "naïve", "ÉCOLE", "ﬁg"], "école"), ["ÉCOLE"]);
  assert.deepEqual(await found(["Piñata", "naïve", "ÉCOLE", "ﬁg"], "fig"), ["ﬁg"]);
});

test("what would be a regular expression is only text", async () => {
  const names = ["c++", "a(b", "back\\slash", "[x]", "50% *", "a.b", "aXb", "^$", "{2}", "p|q", "?", "a-b", "1/2"];
  for (const name of names) assert.equal((await found(names, name))[0], name);
  assert.deepEqual(await found(names, "a.b"), ["a.b"]);
  assert.deepEqual(await found(["x c++", "xc++"], "c++"), ["x c++", "xc++"]);
});

test("items without names are found by kind and position", async () => {
  assert.deepEqual(await found(["dog"], "image 2"), ["image 2"]);
});

test("nothing is found for nothing, and not more than wanted", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `dog ${index}`);
  assert.deepEqual(await found(names, ""), []);
  assert.deepEqual(await found(names, "  \n"), []);
  assert.deepEqual(await found(names, "cow"), []);
  assert.equal((await found(names, "dog")).length, 8);
  assert.equal((await found(names, " dog ", 100)).length, 30);
});

test("ids and texts are searched too: an id comes first, words in a text last", async () => {
  const kind = {
    name: "work",
    places: [[0, 0], [0, 0], [0, 0]] as [number, number][],
    names: ["untitled", "untitled", "A12 in a title"],
    ids: ["A1", "A12", "B7"],
    columns: [{ name: "note", kind: "text" as const, categories: null, values: ["a storm at sea", null, "calm"] }],
  };
  const search = new Search(await openMap([kind]));
  assert.deepEqual(search.find("a12"), [1, 2]);
  assert.deepEqual(search.find("sea storm"), [0]);
  assert.deepEqual(search.find("untitled"), [0, 1]);
});
