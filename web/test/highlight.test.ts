import assert from "node:assert/strict";
import test from "node:test";
import { SheetBudget } from "../src/highlight";

test("an item may load twelve sheets, however often it is drawn, and the next item as many", () => {
  const budget = new SheetBudget();
  const spent = (item: number) => Array.from({ length: 50 }, () => budget.spend(item)).filter(Boolean).length;
  assert.deepEqual([spent(1), spent(1), spent(2)], [12, 0, 12]);
});
