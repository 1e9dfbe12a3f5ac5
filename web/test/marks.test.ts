import assert from "node:assert/strict";
import test from "node:test";
import { levelAt, shorten, thumbnailSize } from "../src/marks";
import { openMap } from "./maps";

test("each level is √2 times the zoom of the one before", async () => {
  const content = await openMap([{ name: "photo", places: [[0, 0]] }]);
  for (const level of [-2, 0, 1, 7]) assert(Math.abs(levelAt(content, 400 * Math.SQRT2 ** level) - level) < 1e-9);
});

test("thumbnails grow with the zoom up to the size of their pictures", async () => {
  const content = await openMap([{ name: "photo", places: [[0, 0]] }]);
  const [domain] = content.domains;
  assert.equal(thumbnailSize(content, domain, 400), 0, "without thumbnails");
  domain.about.thumbnails = { side: 64, gutter: 2, smallest: 26, growth: 1.12 };
  const sizes = Array.from({ length: 30 }, (_, level) => thumbnailSize(content, domain, 400 * Math.SQRT2 ** level));
  assert.equal(sizes[0], 26);
  for (let level = 1; level < 30; level++) assert(sizes[level] >= sizes[level - 1]);
  assert.equal(sizes[29], 64);
});

test("long names are cut between characters", () => {
  assert.equal(shorten("two\n lines"), "two lines");
  assert.equal(shorten("x".repeat(36)), "x".repeat(36));
  assert.equal(shorten("🐕".repeat(37)), `${"🐕".repeat(35)}…`);
});
