import assert from "node:assert/strict";
import test from "node:test";
import type { Column } from "../src/content";
import { failures } from "../src/filters";
import { ruleText } from "../src/filtertext";
import { NO_BIN, type Bins, binned, edgesOf, placeOf, summaryOf, valuesBetween } from "../src/histogram";
import { between, generator, integer } from "./random";

function column(values: number[], kind: "number" | "date" = "number"): Column {
  return { name: "x", kind, categories: null, values: Float32Array.from(values), texts: [] };
}

function bins(of: Column, log = false): Bins {
  const summary = summaryOf(of)!;
  return binned(of, edgesOf(summary, of.kind, log), summary.whole);
}

const day = (text: string) => Date.parse(text) / 86_400_000;

test("a column without values has no summary", () => {
  assert.equal(summaryOf(column([NaN, NaN])), null);
  assert.equal(summaryOf(column([])), null);
});

test("bins have round edges, and each value is in one", () => {
  const found = bins(column([1951, 2024, 1999, NaN]));
  assert.deepEqual([found.edges[0], found.edges[1], found.edges[found.edges.length - 1]], [1950, 1952, 2026]);
  assert.equal(found.codes[3], NO_BIN);
  assert.equal(found.totals.reduce((sum, count) => sum + count), 3);
});

test("few integers have a bin each, one value a single bin", () => {
  assert.deepEqual(bins(column([1, 5, 3])).edges, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(bins(column([7, 7])).edges, [7, 8]);
  assert.deepEqual([...bins(column([0.5, 0.5])).totals], [2]);
});

test("a scale is logarithmic where values are positive and over two decades, at first where most are small", () => {
  const fits = (values: number[]) => [summaryOf(column(values))!.fitsLog, summaryOf(column(values))!.skewed];
  assert.deepEqual(fits([1, 2, 3, 4, 1000]), [true, true]);
  assert.deepEqual(fits([0, 1, 2, 3, 1000]), [true, true]);
  assert.deepEqual(fits([1, 900, 950, 980, 1000]), [true, false]);
  assert.deepEqual(fits([-1, 2, 3, 1000]), [false, false]);
  assert.deepEqual(fits([1, 2, 99]), [false, false]);
});

test("a logarithmic scale is round too, and begins with zero where there is one", () => {
  const found = bins(column([0, 1, 1000]), true).edges;
  assert.deepEqual(found.slice(0, 12), [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20]);
  assert.equal(found[found.length - 1], 1200);
  assert.deepEqual(bins(column([1, 1e8]), true).edges.slice(0, 5), [1, 2, 5, 10, 20]);
  const small = bins(column([0.003, 0.4]), true).edges;
  assert.equal(small[0], 0.003);
  assert(small[small.length - 1] > 0.4);
});

test("dates are in days, months or years", () => {
  assert.deepEqual(bins(column([day("2001-03-05"), day("2001-03-08") + 0.7], "date")).edges.length, 5);
  const months = bins(column([day("2000-01-15"), day("2002-06-01")], "date")).edges;
  assert.deepEqual(months.slice(0, 3), [day("2000-01-01"), day("2000-02-01"), day("2000-03-01")]);
  const years = bins(column([day("1950-07-01"), day("1985-02-01")], "date")).edges;
  assert.deepEqual([years[0], years[1]], [day("1950-01-01"), day("1951-01-01")]);
});

test("whatever the values, they are in bins, and what is between two edges is what passes", () => {
  const random = generator(21);
  for (let round = 0; round < 400; round++) {
    const size = 10 ** between(random, -6, 9);
    const digits = integer(random, 3);
    const values = Array.from({ length: 1 + integer(random, 60) }, () => {
      const value = round % 3 ? between(random, -size, size) : size * 10 ** between(random, -4, 0);
      return integer(random, 12) ? (digits === 0 ? Math.round(value) : Number(value.toPrecision(digits))) : NaN;
    });
    const of = column(values, round % 7 ? "number" : "date");
    const summary = summaryOf(of);
    if (!summary) continue;
    const log = summary.fitsLog && round % 2 === 0;
    const found = bins(of, log);
    const count = found.edges.length - 1;
    assert(count >= 1 && count < NO_BIN, `${count} bins`);
    assert.equal(found.totals.reduce((sum, each) => sum + each, 0), values.filter((value) => !Number.isNaN(value)).length);
    const [first, last] = [integer(random, count), 0].map((at, which) => (which ? 0 : at));
    const end = Math.max(first + 1, last + 1 + integer(random, count));
    const range = valuesBetween(found, first, Math.min(count, end));
    assert(range.from <= range.to, "as Python wants it");
    const fails = failures(of, { kind: "range", ...range, missing: false }, values.length);
    const inside = [...found.codes].map((code) => Number(!(code !== NO_BIN && code >= first && code < Math.min(count, end))));
    assert.deepEqual([...fails], inside, JSON.stringify({ values, first, end, edges: found.edges, range }));
  }
});

test("a range without a value goes up too, and stays where it was put", () => {
  const of = column([0, 0.5, 1.5, 2, 2, 30.5]);
  const found = bins(of);
  const edge = (value: number) => found.edges.indexOf(value);
  const range = valuesBetween(found, edge(1), edge(2));
  assert.deepEqual([range.from, range.to], [1, 1.5]);
  const gap = bins(column([0.5, 2, 39.5])); // nothing is between 1 and 2, and a value is at 2
  const empty = valuesBetween(gap, 1, 2);
  assert(empty.from === 1 && empty.to > 1.99 && Math.fround(empty.to) < 2);
  assert.equal(Math.ceil(placeOf(gap, empty.to, true)), 2);
  assert(placeOf(gap, empty.to, true) > 1.99);
  assert.equal(ruleText(of, { kind: "range", ...empty, missing: false }), "1 – 2");
});

test("an end that is no integer is within the bin of its integers", () => {
  const found = bins(column([0, 3, 9]));
  assert.equal(placeOf(found, 3.3, true), placeOf(found, 3, true));
});

test("the label of a range has all digits of integers", () => {
  const label = (from: number, to: number) => ruleText(column([1]), { kind: "range", from, to, missing: false });
  assert.equal(label(-Infinity, 1_999_999), "≤ 1999999");
  assert.equal(label(12_345_678, Infinity), "≥ 12345678");
  assert.equal(label(Math.fround(0.1), Math.fround(0.3)), "0.1 – 0.3");
});

test("the ends of a range are where they were put", () => {
  const found = bins(column([1951, 2024, 1999]));
  const count = found.edges.length - 1;
  for (const [first, last] of [[0, 5], [3, 4], [10, count], [0, count]]) {
    const { from, to } = valuesBetween(found, first, last);
    assert.deepEqual([placeOf(found, from, false), placeOf(found, to, true)], [first, last]);
  }
  assert.equal(placeOf(found, 1951, false), 0.5, "between edges too");
  assert.deepEqual([placeOf(found, 1, false), placeOf(found, 9999, true)], [0, count]);
});
