import assert from "node:assert/strict";
import test from "node:test";
import { dotSize } from "../src/dots";

test("dots are small where there are many, and never invisible", () => {
  assert.equal(dotSize(10), 7);
  assert(dotSize(7000) > 4 && dotSize(7000) < 4.5);
  assert(dotSize(7000, 400) < dotSize(7000));
  assert.equal(dotSize(1_000_000), 1);
});

test("dots grow with the zoom, up to a limit", () => {
  for (const count of [50, 7000, 1_000_000]) {
    let before = dotSize(count);
    for (let zoom = 0.5; zoom < 100_000; zoom *= 2) {
      const size = dotSize(count, 900, zoom);
      assert(size >= before && size <= 10);
      before = size;
    }
    assert.equal(before, 10);
  }
  assert(dotSize(7000, 900, 8) > 9, "close to its neighbours, a dot can be seen and pointed at");
});
