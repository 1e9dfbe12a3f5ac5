import assert from "node:assert/strict";
import test from "node:test";
import { basis, facts, meaningOfShares, told } from "../src/panels/information";
import { type Kind, openMap } from "./maps";

const KINDS: Kind[] = [
  { name: "image", places: [[0, 0], [1, 0]], columns: [{ name: "how well placed", categories: null, values: [0, 1] }], placed: 0 },
  { name: "tag", places: [[0, 1]] },
];
const LINE = { title: "mixing, image and tag", value: 0.5, sentence: "The two lie among each other." };

test("items and links of every kind are counted", async () => {
  const content = await openMap(KINDS, [{ a: 0, b: 1, links: [[0, 0], [1, 0]] }, { a: 0, b: 0, links: [[0, 1]] }]);
  assert.deepEqual(facts(content.about), [
    ["image", "2 items"],
    ["tag", "1 item"],
    ["image and tag", "2 links"],
    ["among image", "1 link"],
  ]);
});

test("each kind and each relation says how much of the weight it has, where that is known", async () => {
  const kinds: Kind[] = [{ ...KINDS[0], share: 0.181 }, KINDS[1]];
  const { about } = await openMap(kinds, [
    { a: 0, b: 1, links: [[0, 0], [1, 0]], share: 0.815 },
    { a: 0, b: 0, links: [[0, 1]], share: 0.004 },
  ]);
  assert.deepEqual(facts(about), [
    ["image", "2 items, whose likeness has 18 % of the weight"],
    ["tag", "1 item"],
    ["image and tag", "2 links, with 82 % of the weight"],
    ["among image", "1 link, with below 1 % of the weight"],
  ]);
  assert.equal(meaningOfShares(about).includes("what draws items together"), true);
  assert.equal(meaningOfShares((await openMap(KINDS)).about), "");
});

test("it is said of how many items the scores are, and where they can be seen", async () => {
  const about = async (sample: number | null, kinds = KINDS) => (await openMap(kinds, [], { report: { lines: [LINE], sample } })).about;
  assert.equal(basis(await about(null)).includes("colour it by “How well placed”"), true);
  assert.equal(basis(await about(1500)), "Scores of a sample of 1,500 items of each kind.");
  assert.equal(basis(await about(null, [KINDS[1]])), "Scores of all items.");
  assert.equal(basis((await openMap(KINDS)).about), "");
});

test("what happened to a region is told in words", () => {
  const region = { name: "bird", level: 0, state: "kept" as const, joined: { photo: 12, tag: 1 }, left: {}, because: [{ kind: "tag", name: "owl", items: 11 }] };
  assert.equal(told(region), "12 photos, 1 tag came because of the tag “owl”");
  assert.equal(told({ ...region, joined: {}, left: { photo: 2 }, because: [] }), "2 photos went");
  assert.equal(told({ ...region, state: "new", because: [] }), "new, 12 photos, 1 tag came");
  assert.equal(told({ ...region, state: "gone", joined: {}, left: { photo: 2 }, because: [] }), "gone");
});
