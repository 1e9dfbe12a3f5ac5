// Tiles by WebGL: all pictures in one texture, each drawn around its item's place.

import type { Content } from "./content";
import { tileGrid } from "./tiles";

export const ROW = 256; // colours in a row of the palette's texture

/** Dots and tiles have these attributes at the same places, so that one set of buffers serves both programs. */
export const ATTRIBUTES = ["x", "y", "kind", "code", "cell"] as const;

export const TILE_VERTEX = `#version 300 es
precision highp float;
in float x, y, code, cell;
uniform vec4 view; // middle, then scale
uniform float size;
uniform float row; // tiles in a row of the texture
uniform float frame; // pixels, of the colour of what has one; 0 where tiles have no frames
uniform sampler2D palette;
flat out vec2 corner;
flat out vec4 edge; // its colour, and its width as a share of the tile
void main() {
  gl_Position = cell < 0.5 ? vec4(2, 2, 2, 1) : vec4((x - view.x) * view.z, (y - view.y) * view.w, 0, 1);
  float at = cell - 1.0;
  corner = vec2(mod(at, row), floor(at / row)) / row;
  int own = int(code);
  edge = vec4(texelFetch(palette, ivec2(own % ${ROW}, own / ${ROW}), 0).rgb, own == 0 ? 0.0 : frame / size);
  gl_PointSize = size;
}`;

export const TILE_FRAGMENT = `#version 300 es
precision highp float;
flat in vec2 corner;
flat in vec4 edge;
uniform sampler2D tiles;
uniform float row, side, opacity;
out vec4 drawn;
void main() {
  vec2 inside = clamp(gl_PointCoord, 0.5 / side, 1.0 - 0.5 / side); // nothing of the neighbours
  vec4 found = texture(tiles, corner + inside / row);
  vec2 away = min(gl_PointCoord, 1.0 - gl_PointCoord);
  bool framed = edge.a > 0.0 && min(away.x, away.y) < edge.a;
  drawn = (framed ? vec4(edge.rgb, 1) : vec4(found.rgb * found.a, found.a)) * opacity;
}`;

export class TileTexture {
  readonly side: number;
  readonly row: number;
  private readonly texture: WebGLTexture;
  private readonly cells: Float32Array; // of all items: 0 without a tile, or else its number from 1
  private count = 0;
  private changed = false;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    content: Content,
    private readonly buffer: WebGLBuffer, // of the attribute "cell"
  ) {
    const { side, row } = tileGrid(content, gl.getParameter(gl.MAX_TEXTURE_SIZE) as number);
    this.side = side;
    this.row = row;
    this.cells = new Float32Array(content.count);
    this.texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
    for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, row * side, row * side);
    gl.activeTexture(gl.TEXTURE0);
  }

  put(item: number, pixels: Uint8ClampedArray): void {
    const { gl, row, side } = this;
    const [column, line] = [this.count % row, Math.floor(this.count / row)];
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, column * side, line * side, side, side, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer));
    gl.activeTexture(gl.TEXTURE0);
    this.cells[item] = ++this.count;
    this.changed = true;
  }

  /** How many items have a tile, after telling WebGL which. */
  ready(): number {
    const { gl } = this;
    if (this.changed) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, this.cells, gl.DYNAMIC_DRAW);
      this.changed = false;
    }
    return this.count;
  }
}
