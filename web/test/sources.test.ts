import assert from "node:assert/strict";
import test from "node:test";
import { notebookSource } from "../src/sources";

test("a notebook asks Python only for what the widget did not bring", async () => {
  const asked: string[] = [];
  const whole = new Uint8Array([9, 1, 2, 9]);
  const source = notebookSource({ places: new DataView(whole.buffer, 1, 2) }, async (name) => {
    asked.push(name);
    return new DataView(new Uint8Array([7]).buffer);
  });
  assert.deepEqual([...(await source.part("places"))], [1, 2]);
  assert.deepEqual([...(await source.part("sheet-0-0"))], [7]);
  assert.deepEqual(asked, ["sheet-0-0"]);
});
