import assert from "node:assert/strict";
import test from "node:test";
import { formatCount, formatDay, formatShare, formatValue, plural, roundOut, singleLine } from "../src/format";

test("counts have separators, and their nouns a number", () => {
  assert.equal(formatCount(1234567), "1,234,567");
  assert.deepEqual([0, 1, 2, 12345].map((count) => plural(count, "item")), ["0 items", "1 item", "2 items", "12,345 items"]);
  assert.equal(plural(2, "person", "people"), "2 people");
});

test("values have none: a year stays a year", () => {
  const cases: [number, string][] = [
    [2001, "2001"],
    [-12345, "-12345"],
    [12345.678, "12345.7"],
    [0.1 + 0.2, "0.3"],
    [0, "0"],
    [1e-7, "1e-7"],
    [123456789012345, "123456789012345"],
    [1e21, "1e+21"],
    [-1.5e-9, "-1.5e-9"],
  ];
  for (const [value, text] of cases) assert.equal(formatValue(value), text);
});

test("a little is not nothing, and nearly all is not all", () => {
  const shares = [0, 0.004, 0.01, 0.125, 0.99, 0.996, 1].map(formatShare);
  assert.deepEqual(shares, ["0 %", "below 1 %", "1 %", "13 %", "99 %", "over 99 %", "100 %"]);
});

test("a name is one line, and never invisible", () => {
  assert.equal(singleLine(" two\n  lines\t"), "two lines");
  for (const blank of ["", " ", "\n\t"]) assert.equal(singleLine(blank), "(no name)");
});

test("days since 1970 are dates", () => {
  assert.deepEqual([0, -1, 19_000.7].map(formatDay), ["1970-01-01", "1969-12-31", "2022-01-08"]);
  assert.equal(formatDay(1e30), "–");
});

test("an end of a range is rounded outwards, to four digits or to whole numbers", () => {
  assert.deepEqual([roundOut(0.9084803, false), roundOut(0.9084803, true)], [0.9084, 0.9085]);
  assert.deepEqual([roundOut(-0.9084803, false), roundOut(-0.9084803, true)], [-0.9085, -0.9084]);
  assert.deepEqual([roundOut(123456.7, false), roundOut(123456.7, true)], [123456, 123457]);
  for (const exact of [0, 0.57, 0.3, -2.5, 1990, 20011231, 0.00125, Infinity]) {
    assert.deepEqual([roundOut(exact, false), roundOut(exact, true)], [exact, exact]);
  }
});
