import assert from "node:assert/strict";
import test from "node:test";
import type { Content } from "../src/content";
import { Sorter, columnsOf, formatSort, listItems, nextSort, parseSort, shownKind } from "../src/table";
import { type Kind, openMap } from "./maps";

const EVERYWHERE = { x0: -2, y0: -2, x1: 2, y1: 2 };
const M = 65535;

function works(): Promise<Content> {
  const kinds = [
    {
      name: "work",
      places: [[-1, -1], [-0.5, 0], [0, 0.5], [1, 1]],
      names: ["Sea", "untitled", "untitled", "Harbour"],
      ids: ["N10", "N9", "N8", "N11"],
      placed: 0,
      columns: [
        { name: "how well placed", categories: null, values: [0.5, NaN, 0.25, 1] },
        { name: "year", categories: null, values: [1900, 1850, NaN, 1850] },
        { name: "medium", categories: ["oil", "ink"], values: [0, 1, M, 1] },
        { name: "acquired", kind: "date", categories: null, values: [0, 10000, NaN, -1] },
        { name: "note", kind: "text", categories: null, values: ["b", null, "a\nline", ""] },
      ],
    },
    { name: "subject", places: [[0.2, 0.2], [0.9, -0.9]] },
  ] as Kind[];
  const packed = { words: [["sea", "ship"], ["air"]], parents: [-1, -1], centres: [[0, 0], [0, 0]] as [number, number][], outlines: [[], []] };
  const links: [number, number][] = [[0, 0], [3, 0], [3, 1]];
  return openMap(kinds, [{ a: 0, b: 1, links }], {}, {}, { packed, innermost: [0, 1, 65535, 1, 0, 0] });
}

test("a kind has its own columns: name, id, links, data, region, and how well placed last", async () => {
  const content = await works();
  const [work, subject] = content.domains.map((domain) => columnsOf(content, domain));
  assert.deepEqual(work.map(({ title }) => title), ["Name", "Id", "Links", "year", "medium", "acquired", "note", "Region", "how well placed"]);
  assert.deepEqual(work.map(({ numeric }) => numeric), [false, false, true, true, false, true, false, false, true]);
  assert.deepEqual(work.map((column) => column.text(0)), ["Sea", "N10", "1", "1900", "oil", "1970-01-01", "b", "sea, ship", "0.5"]);
  assert.deepEqual(work.map((column) => column.text(2)), ["untitled", "N8", "0", "–", "–", "–", "a line", "–", "0.25"]);
  assert.equal(work[6].text(3), "–", "a blank text is none");
  assert.deepEqual(subject.map(({ key }) => key), ["name", "links", "region"]);
  assert.equal(subject[0].text(5), "subject 1");
});

test("listed is what is selected or, without a selection, in view; and only what is shown", async () => {
  const content = await works();
  const listed = (selection: number[], box = EVERYWHERE, isShown = (_: number) => true) => listItems(content, selection, box, isShown).map((items) => [...items]);
  assert.deepEqual(listed([]), [[0, 1, 2, 3], [4, 5]]);
  assert.deepEqual(listed([], { x0: -0.5, y0: 0, x1: 0.5, y1: 0.5 }), [[1, 2], [4]]);
  assert.deepEqual(listed([5, 3, 0, 3]), [[0, 3], [5]], "in the order of the data, each once");
  assert.deepEqual(listed([5, 3, 0], { x0: 0, y0: 0, x1: 0, y1: 0 }), [[0, 3], [5]], "wherever it is");
  assert.deepEqual(listed([], EVERYWHERE, (item) => item % 2 === 0), [[0, 2], [4]]);
  assert.deepEqual(listed([3, 4], EVERYWHERE, (item) => item !== 4), [[3], []]);
});

test("where the chosen kind has no rows, the first that has some is shown", () => {
  const [none, one, two] = [0, 1, 2].map((count) => new Uint32Array(count));
  assert.equal(shownKind([one, two], 0), 0);
  assert.equal(shownKind([none, one, two], 0), 1);
  assert.equal(shownKind([none, none], 1), 1);
  assert.equal(shownKind([one, two], -1), 0);
});

test("every column sorts, missing values last both ways, and equals stay in the order of the data", async () => {
  const content = await works();
  const sorter = new Sorter(content);
  const [domain] = content.domains;
  const sorted = async (key: string, descending: boolean) => [...(await sorter.sorted(domain, new Uint32Array([0, 1, 2, 3]), { key, descending }))];
  const expected: Record<string, [number[], number[]]> = {
    name: [[3, 0, 1, 2], [1, 2, 0, 3]],
    id: [[2, 1, 0, 3], [3, 0, 1, 2]],
    links: [[1, 2, 0, 3], [3, 0, 1, 2]],
    region: [[1, 3, 0, 2], [0, 1, 3, 2]],
    "0": [[2, 0, 3, 1], [3, 0, 2, 1]],
    "1": [[1, 3, 0, 2], [0, 1, 3, 2]],
    "2": [[1, 3, 0, 2], [0, 1, 3, 2]],
    "3": [[3, 0, 1, 2], [1, 0, 3, 2]],
    "4": [[2, 0, 1, 3], [0, 2, 1, 3]],
  };
  for (const [key, [up, down]] of Object.entries(expected)) {
    assert.deepEqual(await sorted(key, false), up, `${key} ascending`);
    assert.deepEqual(await sorted(key, true), down, `${key} descending`);
  }
  assert.deepEqual([...(await sorter.sorted(content.domains[1], new Uint32Array([5, 4]), { key: "name", descending: false }))], [4, 5]);
  assert.deepEqual([...(await sorter.sorted(domain, new Uint32Array([2, 1]), null))], [2, 1]);
});

test("a sort comes back from the address, and one that is not there is none", async () => {
  const content = await works();
  for (const key of ["name", "id", "links", "region", "0", "4"]) {
    for (const descending of [false, true]) assert.deepEqual(parseSort(content, 0, formatSort({ key, descending })), { key, descending });
  }
  for (const text of [null, "", "-", "5", "-1.5", "ghost", "--name"]) assert.equal(parseSort(content, 0, text), null, String(text));
  assert.equal(parseSort(content, 1, "id"), null, "the other kind has no ids");
  assert.equal(parseSort(content, 7, "name"), null);
});

test("a heading sorts up, then down, then not at all", () => {
  const up = nextSort(null, "links");
  assert.deepEqual(up, { key: "links", descending: false });
  const down = nextSort(up, "links");
  assert.deepEqual(down, { key: "links", descending: true });
  assert.equal(nextSort(down, "links"), null);
  assert.deepEqual(nextSort(down, "name"), { key: "name", descending: false });
});
