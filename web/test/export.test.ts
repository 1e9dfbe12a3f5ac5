import assert from "node:assert/strict";
import test from "node:test";
import { copyCommand, mapBeside, itemsCsv, linksCsv, shortest, toCsv } from "../src/export";
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

test("a list has all columns, under the headings of mrsne export, in the order in which it is sorted", async () => {
  const works: Kind = {
    name: "work",
    places: [[0, 0], [1, 1]],
    names: ['say "hi"', "=1+1"],
    ids: ["A1", "A,2"],
    columns: [
      { name: "year", categories: null, values: [0.1, NaN] },
      { name: "links", categories: ["oil"], values: [65535, 0] },
      { name: "made", kind: "date", categories: null, values: [1, NaN] },
      { name: "note", kind: "text", categories: null, values: ["two\r\nlines", null] },
    ],
  };
  const subjects: Kind = { name: "subject", places: [[0, 0]] };
  const packed = { words: [["sea", "ship"]], parents: [-1], centres: [[0, 0]] as [number, number][], outlines: [[]] };
  const content = await openMap([works, subjects], [{ a: 0, b: 1, links: [[1, 0]] }], {}, {}, { packed, innermost: [0, 65535, 0] });
  const [heading, ...rows] = parseCsv(itemsCsv(content, content.domains[0], new Uint32Array([1, 0])).join(""));
  assert.deepEqual(heading, ["kind", "id", "label", "x", "y", "links", "region", "year", "links (column)", "made", "note"]);
  assert.deepEqual(rows, [
    ["work", "A,2", "=1+1", "1.0000000", "1.0000000", "1", "", "", "oil", "", ""],
    ["work", "A1", 'say "hi"', "0.0000000", "0.0000000", "0", "sea, ship", "0.1", "", "1970-01-02", "two\r\nlines"],
  ]);
  const [, subject] = parseCsv(itemsCsv(content, content.domains[1], new Uint32Array([2])).join(""));
  assert.deepEqual(subject.slice(0, 3), ["subject", "0", "0"], "an item without a name is its position, as in Python");
});

test("links are written once, the listed item first", async () => {
  const people: Kind = { name: "person", places: [[0, 0], [1, 1], [0, 1]], names: ["Ada", "Emmy", "Mary"] };
  const papers: Kind = { name: "paper", places: [[0, 0], [1, 0]] };
  const relations = [
    { a: 0, b: 0, links: [[0, 1, 0.5], [1, 2, 2]] as [number, number, number][] },
    { a: 1, b: 0, links: [[1, 1]] as [number, number][] },
  ];
  const content = await openMap([people, papers], relations);
  const [heading, ...rows] = parseCsv(linksCsv(content, new Uint32Array([1, 0])).join(""));
  assert.deepEqual(heading, ["kind", "id", "linked_kind", "linked_id", "weight"]);
  assert.deepEqual(rows, [
    ["person", "Emmy", "person", "Ada", "0.5"],
    ["person", "Emmy", "person", "Mary", "2"],
    ["person", "Emmy", "paper", "1", "1"],
  ]);
});

test("a file of many rows comes in parts with one heading", async () => {
  const dots: Kind = { name: "dot", places: Array.from({ length: 45_000 }, () => [0, 0]) };
  const content = await openMap([dots]);
  const parts = itemsCsv(content, content.domains[0], Uint32Array.from({ length: 45_000 }, (_, item) => item));
  assert(parts.length > 2);
  const lines = parts.join("").split("\r\n");
  assert.deepEqual([lines.length, lines[0], lines[45_000], lines[45_001]], [45_002, "kind,id,label,x,y", "dot,44999,44999,0.0000000,0.0000000", ""]);
});

test("numbers are written as short as they are exact", () => {
  for (const [value, written] of [[0.1, "0.1"], [16777216, "16777216"], [1 / 3, "0.33333334"], [-2.5e-20, "-2.5e-20"], [0, "0"]] as const) {
    const single = Math.fround(value);
    assert.equal(String(shortest(single)), written);
    assert.equal(Math.fround(shortest(single)), single);
  }
});

test("the command names the map beside the page, where no shell can read anything else into its name", () => {
  assert.equal(mapBeside("/home/me/my%20photos/holiday-2026.html"), "holiday-2026.npz");
  assert.equal(copyCommand("sea", "holiday-2026.npz"), 'mrsne export holiday-2026.npz --region "sea" --copy pictures');
  for (const address of ["/", "/token/", "/a/b%20c.html", "/a/$(x).html", "/a/%E0%A4%A.html", "/a/-o.html"]) assert.equal(mapBeside(address), "map.npz", address);
});

test("the command for pictures names a region only where no shell can read anything else into it", () => {
  const saved = "mrsne export map.npz --items items.csv --copy pictures";
  assert.equal(copyCommand(null), saved);
  for (const name of ["beach, sea", "a", "U.S. 2_3-4", "Küste, 海"]) {
    assert.equal(copyCommand(name), `mrsne export map.npz --region "${name}" --copy pictures`);
  }
  const harmful = ["$(rm -rf ~)", "a'b", 'a"b', "a&calc", "50%", "hi!", "a\\b", "`id`", "a\nb", "a\tb", "a\u2028b", "a\u202eb", "a|b", "a;b", "a^b", "“a”"];
  for (const name of [...harmful, "", " a", "a ", "-o", "cat\u02bb", "\u02cbls\u02cb", "a\ua788b"]) assert.equal(copyCommand(name), saved, name);
});
