// Dots by WebGL: coordinates are uploaded once, colours where they change, and the order of what is drawn with each filter.

import type { Camera, View } from "./camera";
import type { Colouring } from "./colouring";
import type { Content } from "./content";
import { UNSELECTED, dotOpacity, dotSizeIn } from "./dots";
import { DrawingTime } from "./drawingtime";
import { type Layers, sampleOf } from "./layers";
import type { Points } from "./points";
import { SHAPES } from "./shapes";
import type { Theme } from "./themes";
import { tileSize } from "./tiles";
import { ATTRIBUTES, ROW, TILE_FRAGMENT, TILE_VERTEX, TileTexture } from "./webgltiles";

const SLOW = 50; // milliseconds; where a frame takes longer, the canvas is moved as a picture and drawn when the pointer rests
const SAMPLED = 30; // milliseconds for the dots of a picture that has to be drawn at once
const REST = 140; // milliseconds without movement
const DIMMED = 0.45; // share of the opacity of dots that do not pass a filter
const FRAME = 1.5; // pixels, around a picture that a column gives a colour
const SMALLEST_FRAMED = 22; // pixels of such a picture; smaller ones are dots, whose colours are easier to see
const FAINT = 0.15; // opacity of pictures that do not pass a filter
const FEWEST = 10_000; // dots of a drawing that tells how long one takes; fewer are always quick
const PAUSE = 4; // milliseconds between looks whether a drawing is finished
const WIDEST = 1.32; // times its size that a shape other than a circle is wide
const TINY = 1.5; // device pixels; a smaller dot is a square, without a soft edge

const VERTEX = `#version 300 es
precision highp float;
in float x, y, code, kind, cell;
uniform vec4 view; // middle, then scale
uniform float size, opacity;
uniform float hidden; // tiles from which on, counting from 1, dots are hidden behind them
uniform vec4 ink; // of all dots, where it is not transparent
uniform sampler2D palette;
flat out vec4 colour;
flat out float shape;
flat out float side; // of the square that a dot is drawn in, a pixel wider than itself
void main() {
  gl_Position = cell > hidden ? vec4(2, 2, 2, 1) : vec4((x - view.x) * view.z, (y - view.y) * view.w, 0, 1);
  int at = int(code);
  vec3 own = texelFetch(palette, ivec2(at % ${ROW}, at / ${ROW}), 0).rgb;
  colour = vec4(mix(own, ink.rgb, ink.a), opacity);
  shape = mod(kind, ${SHAPES}.0);
  side = size < ${TINY} ? size : size * (shape < 0.5 ? 1.0 : ${WIDEST}) + 1.0;
  gl_PointSize = side;
}`;

// distances from the edge, in pixels; the shapes are those of shapes.ts
const FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 colour;
flat in float shape;
flat in float side;
uniform float size;
out vec4 drawn;
void main() {
  vec2 p = (gl_PointCoord - 0.5) * side;
  vec2 q = abs(p);
  float away = size < ${TINY} ? -1.0
    : shape < 0.5 ? length(p) - 0.5 * size
    : shape < 1.5 ? (q.x + q.y) * 0.7071 - 0.44 * size
    : shape < 2.5 ? max(p.y - 0.46 * size, q.x * 0.8816 - p.y * 0.472 - 0.3115 * size)
    : max(q.x, q.y) - 0.44 * size;
  float alpha = colour.a * clamp(0.5 - away, 0.0, 1.0);
  drawn = vec4(colour.rgb * alpha, alpha);
}`;

export class WebGLPoints implements Points {
  readonly canvas = document.createElement("canvas");
  private readonly gl: WebGL2RenderingContext;
  private readonly dots: Program<"view" | "size" | "opacity" | "ink" | "hidden">;
  private readonly tiles: Program<"view" | "size" | "opacity" | "row" | "side" | "tiles" | "frame">;
  private readonly pictures: TileTexture;
  private readonly codes: WebGLBuffer;
  private readonly texture: WebGLTexture;
  private layers: Layers = { items: new Uint32Array(), dimmed: 0, plain: 0, selected: 0 };
  private uploaded: Layers | null = null;
  private changed = true; // what is drawn, or how, and not only the view
  private muted: number[] = [0, 0, 0, 1];
  private drawnView: View = { x: 0, y: 0, k: 1 };
  private perDot = 0; // milliseconds
  private density = 1;
  private framed = false;
  private waiting = 0;
  private pending = 0; // drawings that are not finished
  private destroyed = false;

  constructor(
    private readonly content: Content,
    onLost: () => void,
  ) {
    const gl = this.canvas.getContext("webgl2", { antialias: false, depth: false });
    if (!gl) throw new Error("this browser has no WebGL 2");
    this.gl = gl;
    this.canvas.addEventListener("webglcontextlost", () => this.destroyed || onLost(), { once: true });
    this.dots = programOf(gl, VERTEX, FRAGMENT, ["view", "size", "opacity", "ink", "hidden"]);
    this.tiles = programOf(gl, TILE_VERTEX, TILE_FRAGMENT, ["view", "size", "opacity", "row", "side", "tiles", "frame"]);
    attribute(gl, "x", content.x, gl.FLOAT);
    attribute(gl, "y", content.y, gl.FLOAT);
    attribute(gl, "kind", content.domainOf, gl.UNSIGNED_SHORT);
    this.codes = attribute(gl, "code", content.domainOf, gl.UNSIGNED_SHORT);
    this.pictures = new TileTexture(gl, content, attribute(gl, "cell", new Float32Array(content.count), gl.FLOAT));
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  draw(camera: Camera, then: () => void): void {
    clearTimeout(this.waiting);
    const slow = this.perDot * this.layers.items.length > SLOW;
    if (!slow) this.render(camera, this.layers);
    else if (this.changed) this.render(camera, sampleOf(this.layers, SAMPLED / this.perDot));
    else this.move(camera);
    then();
    if (slow) this.waiting = window.setTimeout(() => this.render(camera, this.layers), REST);
  }

  /** Move what has been drawn as a picture. */
  private move(camera: Camera): void {
    const { x, y, k } = this.drawnView;
    this.canvas.style.transform = `translate(${(x - camera.x) * camera.k}px, ${(camera.y - y) * camera.k}px) scale(${camera.k / k})`;
  }

  private render(camera: Camera, layers: Layers): void {
    const { gl, dots, tiles } = this;
    const { items, dimmed, plain, selected } = layers;
    const tile = tileSize(this.content, camera);
    const tiled = this.pictures.ready() > 0 && (!this.framed || tile >= SMALLEST_FRAMED);
    if (layers !== this.uploaded) gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, items, gl.DYNAMIC_DRAW);
    this.uploaded = layers;
    this.changed = false;
    this.drawnView = camera.view;
    this.canvas.style.transform = "";
    const size = dotSizeIn(camera, this.content.count) * this.density;
    const opacity = dotOpacity(this.layers.plain + this.layers.selected);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const use = ({ program, at }: Program<"view">) => {
      gl.useProgram(program);
      gl.uniform4f(at.view, camera.x, camera.y, (2 * camera.k) / camera.width, (2 * camera.k) / camera.height);
    };
    const draw = (from: number, count: number, share: number, ink: number[], extra = 0) => {
      if (!count) return;
      gl.uniform1f(dots.at.size, size + extra);
      gl.uniform1f(dots.at.opacity, share);
      gl.uniform4fv(dots.at.ink, ink);
      gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, 4 * from);
    };
    use(dots);
    gl.uniform1f(dots.at.hidden, tiled ? 0.5 : Infinity);
    draw(0, dimmed, DIMMED * dotOpacity(this.layers.dimmed), this.muted);
    draw(dimmed, plain, opacity * (selected ? UNSELECTED : 1), [0, 0, 0, 0]);
    draw(dimmed + plain, selected, 1, [0, 0, 0, 0], this.density);
    if (tiled) {
      use(tiles);
      gl.uniform1i(tiles.at.tiles, 1);
      gl.uniform1f(tiles.at.row, this.pictures.row);
      gl.uniform1f(tiles.at.side, this.pictures.side);
      gl.uniform1f(tiles.at.frame, this.framed ? FRAME * this.density : 0);
      gl.uniform1f(tiles.at.size, tile * this.density);
      const shares = [FAINT, selected ? UNSELECTED : 1, 1];
      [dimmed, plain, selected].reduce((from, count, layer) => {
        gl.uniform1f(tiles.at.opacity, shares[layer]);
        if (count) gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, 4 * from);
        return from + count;
      }, 0);
    }
    this.measure(items.length);
  }

  /** Find out how long the drawing takes, without waiting for it. */
  private measure(dots: number): void {
    const { gl } = this;
    if (dots < FEWEST) return;
    const time = new DrawingTime(performance.now());
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    this.pending++;
    const look = () => {
      if (!this.destroyed && fence && gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) {
        time.wait(performance.now(), PAUSE);
        return void window.setTimeout(look, PAUSE);
      }
      gl.deleteSync(fence);
      this.pending--;
      const taken = time.finish(performance.now());
      if (taken !== null) this.perDot = this.perDot ? 0.7 * this.perDot + (0.3 * taken) / dots : taken / dots;
    };
    window.setTimeout(look);
  }

  colour({ palette, codes }: Colouring, theme: Theme, framed: boolean): void {
    const { gl } = this;
    this.framed = framed;
    this.muted = [...channels(theme.muted).map((value) => value / 255), 1];
    const texels = new Uint8Array(4 * ROW * Math.ceil(palette.length / ROW)).fill(255);
    palette.forEach((colour, at) => texels.set(channels(colour), 4 * at));
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, ROW, texels.length / 4 / ROW, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.codes);
    gl.bufferData(gl.ARRAY_BUFFER, Uint16Array.from(codes), gl.STATIC_DRAW);
    this.changed = true;
  }

  /** Draw a picture in place of its item's dot from now on; how many pixels its sides have is `tileSide`. */
  putTile(item: number, pixels: Uint8ClampedArray): void {
    this.pictures.put(item, pixels);
    this.changed = true;
  }

  get tileSide(): number {
    return this.pictures.side;
  }

  show(layers: Layers): void {
    this.layers = layers;
    this.changed = true;
  }

  resize(width: number, height: number, density: number): void {
    this.density = density;
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(height * density);
    this.changed = true;
  }

  destroy(): void {
    this.destroyed = true;
    clearTimeout(this.waiting);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/** A program, and where its uniforms are. */
interface Program<Name extends string> {
  program: WebGLProgram;
  at: Record<Name, WebGLUniformLocation | null>;
}

function programOf<Name extends string>(gl: WebGL2RenderingContext, vertex: string, fragment: string, uniforms: Name[]): Program<Name> {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  ATTRIBUTES.forEach((name, place) => gl.bindAttribLocation(program, place, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`WebGL: ${gl.getProgramInfoLog(program)}`);
  const at = Object.fromEntries(uniforms.map((name) => [name, gl.getUniformLocation(program, name)]));
  return { program, at: at as Program<Name>["at"] };
}

/** Upload a number for each item. */
function attribute(gl: WebGL2RenderingContext, name: (typeof ATTRIBUTES)[number], values: Float32Array | Uint16Array, kind: number): WebGLBuffer {
  const buffer = gl.createBuffer();
  const place = ATTRIBUTES.indexOf(name);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, 1, kind, false, 0, 0);
  return buffer;
}

/** Red, green and blue of #rrggbb. */
function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}
