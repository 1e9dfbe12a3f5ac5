import assert from "node:assert/strict";
import test from "node:test";
import type { Content } from "../src/content";
import { enrichment, neededLinks } from "../src/enrichment";
import { openMap } from "./maps";
import { generator, integer } from "./random";

const at = (count: number) => Array.from({ length: count }, (): [number, number] => [0, 0]);

test("an item is enriched by how many times more often it is linked than by chance", async () => {
  const links: [number, number][] = [0, 1, 2, 3, 4].map((paper) => [paper, 0]);
  links.push(...[...Array(10).keys()].map((paper): [number, number] => [paper, 1]), [7, 2]);
  const content = await openMap([{ name: "paper", places: at(10) }, { name: "word", places: at(3) }], [{ a: 0, b: 1, links }]);
  assert.deepEqual(
    enrichment(content, [0, 1, 2, 3, 4]).map((own) => own.map(({ item, inside, all, times }) => [item - 10, inside, all, times])),
    [[], [[0, 5, 5, 2]]],
  );
});

test("chance is counted for each kind: of 7 links, 1.5 would be from half of the papers, and 3 are", async () => {
  const content = await openMap(
    [{ name: "paper", places: at(6) }, { name: "person", places: at(4) }, { name: "word", places: at(2) }],
    [
      { a: 1, b: 2, links: [[0, 0], [1, 0], [2, 0], [3, 0]] },
      { a: 0, b: 2, links: [[0, 0], [1, 0], [2, 0]] },
    ],
  );
  const [{ item, inside, all, times }] = enrichment(content, [0, 1, 2])[2];
  assert.deepEqual([item, inside, all, times], [10, 3, 7, 2]);
});

async function randomMap(): Promise<Content> {
  const random = generator(12);
  const links: [number, number][] = [];
  for (let image = 0; image < 200; image++) {
    for (let tag = 0; tag < 30; tag++) if (integer(random, tag + 2) === 0) links.push([image, tag]);
  }
  return openMap([{ name: "image", places: at(200) }, { name: "tag", places: at(30) }], [{ a: 0, b: 1, links }]);
}

test("items are in the order of their likelihood ratio", async () => {
  const content = await randomMap();
  const random = generator(13);
  for (let round = 0; round < 20; round++) {
    const selection = [...Array(200).keys()].filter(() => integer(random, 4) === 0);
    const expected = [];
    for (let tag = 200; tag < 230; tag++) {
      const linked = content.links.of(tag).map((link) => link.item);
      const [count, chance] = [linked.filter((item) => selection.includes(item)).length, (linked.length * selection.length) / 200];
      const ratio = count * Math.log(count / chance) - (count - chance); // log of the Poisson likelihoods' ratio
      if (count >= neededLinks(selection.length) && count > chance) expected.push({ tag, ratio });
    }
    expected.sort((a, b) => b.ratio - a.ratio || a.tag - b.tag);
    assert.deepEqual(enrichment(content, selection, 30)[1].map(({ item }) => item), expected.map(({ tag }) => tag));
    assert.deepEqual(enrichment(content, selection, 3)[1].map(({ item }) => item), expected.slice(0, 3).map(({ tag }) => tag));
  }
});

test("a large selection is described by what many of it share, not by the many items with three links in one place", async () => {
  const links: [number, number][] = [];
  for (let work = 0; work < 240; work++) links.push([work, Math.floor(work / 3)]); // 80 people, with three works each
  for (let person = 0; person < 80; person++) links.push([300 + person, person]); // and one elsewhere
  for (let work = 0; work < 60; work++) links.push([work, 80]);
  for (let work = 300; work < 800; work++) links.push([work, 80]);
  const kinds = [{ name: "work", places: at(20_000) }, { name: "person", places: at(81) }];
  const content = await openMap(kinds, [{ a: 0, b: 1, links }]);
  const [works, people] = enrichment(content, [...Array(240).keys()]);
  assert.deepEqual(works, []);
  assert.deepEqual(people.map(({ item, inside, all }) => [item - 20_000, inside, all]), [[80, 60, 560]]);
});

test("each kind has a list of its own, so that none takes the place of another", async () => {
  const links: [number, number][] = Array.from({ length: 40 }, (_, at): [number, number] => [at % 20, Math.floor(at / 2)]);
  const content = await openMap(
    [{ name: "work", places: at(100) }, { name: "word", places: at(20) }, { name: "person", places: at(1) }],
    [
      { a: 0, b: 1, links },
      { a: 0, b: 2, links: [[0, 0], [1, 0], [2, 0], [50, 0]] },
    ],
  );
  const [, words, people] = enrichment(content, [...Array(20).keys()].slice(0, 16), 5);
  assert.equal(words.length, 5);
  assert.deepEqual(people.map(({ item }) => item), [120]);
});

test("a selection of everything, of nothing, or with one link says nothing", async () => {
  const content = await randomMap();
  for (const selection of [[...Array(230).keys()], [], [3]]) assert.deepEqual(enrichment(content, selection), [[], []]);
});
