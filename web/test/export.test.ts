import assert from "node:assert/strict";
import test from "node:test";
import { toCsv } from "../src/export";
import { type Kind, openMap } from "./maps";

/** The fields of a CSV file, by the rules of RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    if (!rows.length || rows[rows.length - 1].at(-1) === "\r\n") rows.push([]);
    else rows[rows.length - 1].pop();
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'), end);
  }
  return rows.map((row) => row.slice(0, -1));
}

test("a selection is a table of kinds, names, positions and the coordinates of Python", async () => {
  const names = ["plain", 'say "hi"', "a,b", "two\r\nlines", "", "=1+1"];
  const photos: Kind = { name: "photo, new", places: [[0, 0], [-1, 1]] };
  const tags: Kind = { name: "tag", places: names.map(() => [0.5, -0.25]), names };
  const content = await openMap([photos, tags], [], { centre: [10, -20], reach: 4 });
  const [heading, ...rows] = parseCsv(toCsv(content, [1, 2, 3, 4, 5, 6, 7]));
  assert.deepEqual(heading, ["kind", "item", "position", "x", "y"]);
  assert.deepEqual(rows[0], ["photo, new", "photo, new 1", "1", "6.0000000", "-16.000000"]);
  assert.deepEqual(rows.slice(1).map((row) => row.slice(0, 3)), names.map((name, position) => ["tag", name, String(position)]));
  assert.deepEqual(rows[1].slice(3).map(Number), [12, -21]);
});

test("where names are not ids, a selection has both", async () => {
  const works: Kind = { name: "work", places: [[0, 0], [1, 1]], names: ["untitled", "untitled"], ids: ["A1", "A2"] };
  const [heading, ...rows] = parseCsv(toCsv(await openMap([works]), [0, 1]));
  assert.equal(heading.at(-1), "id");
  assert.deepEqual(rows.map((row) => [row[1], row.at(-1)]), [["untitled", "A1"], ["untitled", "A2"]]);
});
