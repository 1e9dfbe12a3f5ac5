import assert from "node:assert/strict";
import test from "node:test";
import { CATEGORIES, OTHER, THEMES, domainColour, rampColour } from "../src/themes";

function lightness(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("the ramp goes from dark to light without a step back", () => {
  const steps = Array.from({ length: 101 }, (_, step) => lightness(rampColour(step / 100)));
  for (let step = 1; step <= 100; step++) assert(steps[step] >= steps[step - 1] - 1e-9, `step ${step}`);
});

test("the ramp has ends, and colours with six digits", () => {
  assert.deepEqual([rampColour(0), rampColour(1)], ["#440154", "#fde725"]);
  assert.deepEqual([rampColour(-3), rampColour(3)], ["#440154", "#fde725"]);
  for (let step = 0; step <= 100; step++) assert(/^#[0-9a-f]{6}$/.test(rampColour(step / 100)));
});

test("kinds and categories have different colours, in turn where there are many", () => {
  for (const theme of Object.values(THEMES)) {
    assert.equal(new Set(theme.domains).size, theme.domains.length);
    assert.equal(domainColour(theme, theme.domains.length + 1), theme.domains[1]);
  }
  assert.equal(new Set([...CATEGORIES, OTHER]).size, 11);
});
