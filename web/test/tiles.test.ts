import assert from "node:assert/strict";
import test from "node:test";
import { Camera } from "../src/camera";
import { hasPictures } from "../src/marks";
import { tileGrid, tileSize } from "../src/tiles";
import { Frames } from "./frames";
import { openMap } from "./maps";

async function map(pictures: number, side = 96) {
  const places = Array.from({ length: pictures }, (_, at): [number, number] => [Math.cos(at), Math.sin(at)]);
  const content = await openMap([{ name: "photo", places }, { name: "tag", places: [[0, 0]], names: ["dog"] }]);
  if (pictures) content.domains[0].about.thumbnails = { side, gutter: 2, smallest: 26, growth: 1.12 };
  return content;
}

test("a texture has a tile for every picture, as large as fits", async () => {
  for (const [pictures, side] of [[1, 48], [2_500, 48], [16_384, 32], [100_000, 12]]) {
    const grid = tileGrid(await map(pictures), 16_384);
    assert.equal(grid.side, side);
    assert.equal(grid.row ** 2 >= pictures, true);
    assert.equal(grid.row * grid.side <= 4096, true);
  }
  assert.equal(tileGrid(await map(2_500), 2048).side, 40, "where textures are smaller");
  assert.equal(tileGrid(await map(9, 20), 16_384).side, 20, "never larger than a thumbnail");
});

test("tiles would fill the overview side by side, and grow with the zoom until they are thumbnails", async () => {
  const content = await map(2_329);
  new Frames();
  const camera = new Camera(() => {});
  camera.resize(1440, 900, { left: 0, right: 0, top: 0, bottom: 0 });
  const overview = tileSize(content, camera);
  assert.equal(overview > 12 && overview < 20, true);
  camera.look({ ...camera.whole, k: camera.whole.k * 1.3 });
  assert.equal(Math.abs(tileSize(content, camera) / overview - 1.3) < 1e-9, true);
  camera.look({ ...camera.whole, k: camera.whole.k * 40 });
  const close = tileSize(content, camera);
  assert.equal(close > 26 && close <= 96, true);
  assert.equal(tileSize(await map(0), camera), 0);
});

test("pictures come first where there are any beside names", async () => {
  assert.equal(hasPictures(await map(3)), true);
  assert.equal(hasPictures(await map(0)), false);
});
