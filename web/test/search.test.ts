import assert from "node:assert/strict";
import test from "node:test";
import type { Content } from "../src/content";
import { Search, best } from "../src/search";
import { type Relation, openMap } from "./maps";
import { generator, integer } from "./random";

function map(names: string[], relations: Relation[] = []): Promise<Content> {
  const places = names.map((): [number, number] => [0, 0]);
  return openMap([{ name: "tag", places, names }, { name: "image", places: [[0, 0], [0, 0], [0, 0]] }], relations);
}

async function found(names: string[], text: string): Promise<string[]> {
  const content = await map(names);
  return new Search(content).find(text).first(Infinity).map((item) => content.name(item));
}

test("the whole name comes first, then whole words, its beginning, a word's beginning, anywhere, and all words", async () => {
  const names = ["mad hot dogma", "underdog", "hot dog", "dogmatic", "dog house", "dog", "cat"];
  assert.deepEqual(await found(names, "dog"), ["dog", "dog house", "hot dog", "dogmatic", "mad hot dogma", "underdog"]);
  assert.deepEqual(await found(names, "dog hot"), ["hot dog", "mad hot dogma"]);
  assert.deepEqual(await found(names, "hot dog"), ["hot dog", "mad hot dogma"]);
});

test("of equals, the most linked comes first", async () => {
  const names = ["dog a", "dog b", "dog c"];
  const content = await map(names, [{ a: 1, b: 0, links: [[0, 1], [1, 1], [2, 2]] }]);
  assert.deepEqual(new Search(content).find("dog").first(3), [1, 2, 0]);
});

test("a person with many works comes before a work and a subject that have more to their names or fewer links", async () => {
  const names = ["Turner's Barn", "The Turner Prize at the Gallery", "Turner, Joseph", "Turner and His Circle", "Turnery"];
  const places = names.map((): [number, number] => [0, 0]);
  const works = Array.from({ length: 30 }, (): [number, number] => [0, 0]);
  const links = works.map((_, work): [number, number] => [work, 2]);
  const content = await openMap([{ name: "name", places, names }, { name: "work", places: works }], [
    { a: 1, b: 0, links: [...links, [0, 0], [1, 0], [2, 1], [3, 3], [4, 3], [5, 3]] },
  ]);
  const order = new Search(content).find("turner").first(9).map((item) => content.name(item));
  assert.deepEqual(order, ["Turner, Joseph", "Turner's Barn", "Turner and His Circle", "The Turner Prize at the Gallery", "Turnery"]);
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

test("nothing is found for nothing, and otherwise everything that matches", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `dog ${index}`);
  assert.deepEqual(await found(names, ""), []);
  assert.deepEqual(await found(names, "  \n"), []);
  assert.deepEqual(await found(names, "cow"), []);
  assert.equal((await found(names, " dog ")).length, 30);
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
  assert.deepEqual(search.find("a12").first(9), [1, 2]);
  assert.deepEqual(search.find("sea storm").first(9), [0]);
  assert.deepEqual(search.find("untitled").first(9), [0, 1]);
});

test("the best are put in order only as far as somebody looks, and go on from there", async () => {
  const content = await map(Array.from({ length: 90 }, (_, at) => (at % 3 ? `a dog ${at}` : at % 2 ? `dog ${at}` : "dog")));
  const hits = new Search(content).find("dog");
  const all = hits.first(Infinity);
  assert.deepEqual([all.length, hits.count, hits.left], [90, 90, 0]);
  for (const count of [0, 1, 8, 15, 40, 89]) assert.deepEqual(hits.first(count), all.slice(0, count));
  const odd = new Search(content).find("dog", (item) => item % 2 === 1);
  assert.deepEqual([odd.first(99), odd.left], [all.filter((item) => item % 2), 45]);
});

test("the best are those that a sort puts first", () => {
  const random = generator(8);
  const items = Array.from({ length: 500 }, (_, at) => 2 * at);
  const worth = items.map(() => integer(random, 40));
  const sorted = [...items].sort((a, b) => worth[b / 2] - worth[a / 2] || a - b);
  for (const count of [1, 8, 100, 499, 500, 700]) assert.deepEqual(best(items, (item) => worth[item / 2], count), sorted.slice(0, count));
});

test("names are prepared with pauses, and what is still missing when somebody searches", async () => {
  const content = await map(Array.from({ length: 5000 }, (_, at) => `dog ${at}`));
  const search = new Search(content);
  let pauses = 0;
  const found: number[] = [];
  await search.prepare(async () => {
    if (++pauses === 2) found.push(...search.find("dog 4999").first(2));
  });
  assert.deepEqual(found, [4999]);
  assert(pauses >= 2);
  assert.deepEqual(search.find("dog 4998").first(2), [4998]);
});
