import assert from "node:assert/strict";
import test from "node:test";
import { PageHistory } from "../src/pagehistory";

/** A browser's history, as far as a map knows it. */
function browser() {
  const entries = ["#start"];
  let at = 0;
  let returned = () => {};
  const history = {
    pushState: (_: null, __: string, address: string) => entries.splice(++at, Infinity, address),
    replaceState: (_: null, __: string, address: string) => (entries[at] = address),
    go: (steps: number) => {
      at += steps;
      returned();
    },
  };
  Object.assign(globalThis, { history, addEventListener: (_: string, listener: () => void) => (returned = listener) });
  return { history, current: () => entries[at], count: () => at + 1 };
}

function opened() {
  const seen = browser();
  const shown = { address: "#start", restored: 0 };
  return { ...seen, shown, pages: new PageHistory(() => shown.address, () => shown.restored++, new AbortController().signal) };
}

test("back restores what the entry before says", () => {
  const { history, current, shown, pages } = opened();
  shown.address = "#dog";
  pages.record(true);
  shown.address = "#dog, closer";
  pages.record(false);
  assert.equal(current(), "#dog, closer");
  history.go(-1);
  assert.deepEqual([current(), shown.restored], ["#start", 1]);
});

test("the entries of a double click are taken back, and the view before becomes the present one", () => {
  const { current, count, shown, pages } = opened();
  for (const address of ["#dog", "#cat"]) {
    if (address === "#dog") pages.onFirstClick();
    shown.address = address;
    pages.record(true);
  }
  shown.address = "#start, closer";
  pages.takeBack();
  assert.deepEqual([current(), count(), shown.restored], ["#start, closer", 1, 0]);
  pages.takeBack();
  assert.deepEqual([count(), shown.restored], [1, 0], "nothing is left to take back");
});

test("an entry of which the browser wants nothing to know is not taken back", () => {
  const { history, count, pages } = opened();
  history.pushState = () => {
    throw new Error("too often");
  };
  pages.record(true);
  pages.takeBack();
  assert.equal(count(), 1);
});
