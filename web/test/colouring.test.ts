import assert from "node:assert/strict";
import test from "node:test";
import { PLACED, REGION, colourOptions, colouringOf } from "../src/colouring";
import { type Content, MISSING } from "../src/content";
import { CATEGORIES, OTHER, THEMES, domainColour } from "../src/themes";
import { openMap } from "./maps";
import { between, generator } from "./random";

const THEME = THEMES.light;

/** A map whose second kind has one column. */
function map(values: number[], categories: string[] | null = null): Promise<Content> {
  const places = values.map((): [number, number] => [0, 0]);
  return openMap([{ name: "tag", places: [[0, 0], [0, 0]] }, { name: "image", places, columns: [{ name: "year", categories, values }] }]);
}

function codes(content: Content, key = "1.0"): number[] {
  return [...colouringOf(content, key, THEME).codes];
}

test("without a column, every kind has its own colour", async () => {
  const content = await map([1, 2, 3]);
  for (const key of ["", "7.0", "1.7"]) {
    const colouring = colouringOf(content, key, THEME);
    assert.deepEqual([...colouring.codes], [0, 0, 1, 1, 1]);
    assert.deepEqual(colouring.palette, [domainColour(THEME, 0), domainColour(THEME, 1)]);
    assert.deepEqual([colouring.entries, colouring.range], [[], null]);
  }
});

test("the options are the kinds and every column", async () => {
  assert.deepEqual(colourOptions(await map([1])), [{ key: "", label: "Kind" }, { key: "1.0", label: "year (image)" }]);
  const alone = await openMap([{ name: "image", places: [[0, 0]], columns: [{ name: "year", categories: null, values: [1] }] }]);
  assert.deepEqual(colourOptions(alone)[1], { key: "0.0", label: "year" });
});

test("larger numbers are further along the ramp, equal numbers have equal colours", async () => {
  const random = generator(11);
  const values = Array.from({ length: 300 }, () => Math.floor(between(random, 0, 40)) - 20);
  const own = codes(await map(values)).slice(2);
  for (let a = 0; a < values.length; a++) {
    for (let b = 0; b < a; b++) assert.equal(Math.sign(own[a] - own[b]), Math.sign(values[a] - values[b]));
  }
});

test("the ends of the ramp are the smallest and the largest number", async () => {
  const content = await map([2003, 2001, 2010]);
  const { palette, range } = colouringOf(content, "1.0", THEME);
  assert.deepEqual(range, ["2001", "2010"]);
  assert.deepEqual(codes(content).slice(3), [1, palette.length - 1]);
});

test("items without a value, and those of other kinds, are muted", async () => {
  const content = await map([NaN, 5, NaN, 6]);
  const { palette } = colouringOf(content, "1.0", THEME);
  assert.deepEqual(codes(content), [0, 0, 0, 1, 0, palette.length - 1]);
  assert.equal(palette[0], THEME.muted);
});

test("a constant column has one colour and a range of one number", async () => {
  const content = await map([7, 7, NaN, 7]);
  assert.deepEqual(colouringOf(content, "1.0", THEME).range, ["7", "7"]);
  assert.deepEqual(codes(content).slice(2), [1, 1, 0, 1]);
});

test("a column of missing values has no range", async () => {
  for (const content of [await map([NaN, NaN]), await map([MISSING, MISSING], ["unused"])]) {
    assert.equal(colouringOf(content, "1.0", THEME).range, null);
    assert.deepEqual(codes(content), [0, 0, 0, 0]);
  }
});

test("a few outliers do not take the ramp from the rest", async () => {
  const values = [...Array(198).keys(), -1e6, 1e6];
  const content = await map(values);
  const { palette, range } = colouringOf(content, "1.0", THEME);
  assert.deepEqual(range, ["≤ 3", "≥ 194"]);
  const own = codes(content).slice(2);
  assert.deepEqual([own[198], own[199]], [1, palette.length - 1]);
  assert(new Set(own.slice(0, 198)).size > 60, "the rest has nearly all colours");
});

test("numbers with a long tail have colours by their logarithm, zero the first", async () => {
  const values = [0, ...Array.from({ length: 400 }, (_, rank) => Math.round(10 ** (rank / 100)))];
  const content = await map(values);
  const { range } = colouringOf(content, "1.0", THEME);
  assert.deepEqual(range, ["0", "9772 (log)"]);
  const own = codes(content).slice(2);
  assert(new Set(own).size > 50, "nearly all colours are used");
  assert.equal(own[0], 1);
  assert.deepEqual([...own].sort((a, b) => a - b), own);
});

test("a single outlier makes no ramp of logarithms", async () => {
  const content = await map([...Array.from({ length: 200 }, (_, rank) => rank + 1), 1e6]);
  assert.deepEqual(colouringOf(content, "1.0", THEME).range, ["≤ 5", "≥ 197"]);
});

test("two values far apart are no outliers", async () => {
  assert.deepEqual(colouringOf(await map([0, 0, 0, 1e6]), "1.0", THEME).range, ["0", "1000000"]);
});

test("categories have their colours and are counted", async () => {
  const content = await map([0, 1, 0, MISSING, 2, 0], ["dog", "cat", "cow"]);
  const { palette, entries, range } = colouringOf(content, "1.0", THEME);
  assert.deepEqual(codes(content), [0, 0, 1, 2, 1, 0, 3, 1]);
  assert.deepEqual(palette.slice(0, 4), [THEME.muted, ...CATEGORIES.slice(0, 3)]);
  assert.deepEqual(entries.map(({ colour, label, count }) => [colour, label, count]), [
    [CATEGORIES[0], "dog", 3],
    [CATEGORIES[1], "cat", 1],
    [CATEGORIES[2], "cow", 1],
  ]);
  assert.equal(range, null);
});

test("beyond ten categories, the rest share one colour and are counted together", async () => {
  const names = Array.from({ length: 14 }, (_, index) => `category ${index}`);
  const content = await map([...names.keys(), 12], names);
  const { palette, entries } = colouringOf(content, "1.0", THEME);
  assert.equal(entries.length, 11);
  assert.deepEqual(entries[10], { colour: OTHER, label: "4 more", count: 5 });
  assert.equal(new Set(palette).size, 12);
  assert.deepEqual(codes(content).slice(12).map((code) => palette[code]), Array(5).fill(OTHER));
});

test("dates are a ramp between days, and texts are nothing to colour by", async () => {
  const places: [number, number][] = [[0, 0], [0, 0]];
  const day = { name: "day", kind: "date" as const, categories: null, values: [0, 11_000] };
  const text = { name: "note", kind: "text" as const, categories: null, values: ["a", "b"] };
  const content = await openMap([{ name: "work", places, columns: [day, text] }]);
  assert.deepEqual(colourOptions(content).map((option) => option.label), ["Kind", "day"]);
  assert.deepEqual(colouringOf(content, "0.0", THEME).range, ["1970-01-01", "2000-02-13"]);
  assert.deepEqual([...colouringOf(content, "0.1", THEME).codes], [0, 0]);
});

test("how well items are placed colours all kinds at once, on a scale from 0 to 1", async () => {
  const placed = (values: number[]) => ({ name: "how well placed", categories: null, values });
  const content = await openMap([
    { name: "tag", places: [[0, 0], [0, 0]], columns: [placed([1, NaN])], placed: 0 },
    { name: "user", places: [[0, 0]] },
    { name: "image", places: [[0, 0], [0, 0]], columns: [{ name: "year", categories: null, values: [1, 2] }, placed([0.5, 0])], placed: 1 },
  ]);
  const options = [{ key: "", label: "Kind" }, { key: PLACED, label: "How well placed" }, { key: "2.0", label: "year (image)" }];
  assert.deepEqual(colourOptions(content), options);
  const { palette, codes, range } = colouringOf(content, PLACED, THEME);
  assert.deepEqual([...codes], [palette.length - 1, 0, 0, Math.round(palette.length / 2), 1]);
  assert.equal(palette[0], THEME.muted);
  assert.deepEqual(range, ["0 (badly)", "1 (well)"]);
});

test("the map and its legend share what was computed last", async () => {
  const content = await map([1, 2, 3]);
  const found = colouringOf(content, "1.0", THEME);
  assert.equal(colouringOf(content, "1.0", THEME), found);
  assert(colouringOf(content, "1.0", THEMES.dark) !== found);
  assert(colouringOf(await map([1, 2, 3]), "1.0", THEMES.dark) !== colouringOf(content, "1.0", THEMES.dark));
  assert.deepEqual(colouringOf(content, "1.0", THEME), found);
});

test("regions of the overview have colours of their own, and their parts shades of them", async () => {
  const square = [0, 0, 1, 0, 0, 1, -1, 0];
  const packed = {
    words: [["sea"], ["land"], ["ship"], ["beach"]],
    parents: [-1, -1, 0, 0],
    centres: [[0, 0], [9000, 0], [0, 0], [100, 0]] as [number, number][],
    outlines: [[square], [square], [square], [square]],
  };
  const places = Array.from({ length: 5 }, (_, at): [number, number] => [at / 5, 0]);
  const content = await openMap([{ name: "photo", places }], [], {}, {}, { packed, innermost: [2, 3, 1, 0, 65535] });
  assert.deepEqual(colourOptions(content).map((option) => option.key), ["", REGION]);
  const { palette, codes } = colouringOf(content, REGION, THEMES.light);
  const [ship, beach, land, sea, none] = [...codes].map((code) => palette[code]);
  assert.equal(none, THEMES.light.muted);
  assert.equal(ship, sea, "the first part has the colour of the whole");
  assert.equal(new Set([sea, land, beach, none]).size, 4);
});
