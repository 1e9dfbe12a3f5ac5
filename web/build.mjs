// Bundles the map into two files, program and style, with the licences of what is in them; the folder for them is the
// first argument.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { licences } from "./licences.mjs";

const folder = process.argv[2] ?? "../src/mrsne/viewer/static";
const program = await build({
  entryPoints: { map: "src/main.ts" },
  outdir: folder,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome109", "firefox115", "safari16.4"],
  charset: "ascii",
  legalComments: "eof",
  metafile: true,
  logLevel: "warning",
});
const style = await build({
  entryPoints: { map: "src/style.css" },
  outdir: folder,
  bundle: true,
  minify: true,
  target: ["chrome109", "firefox115", "safari16.4"],
  metafile: true,
  logLevel: "warning",
});
const files = [program, style].flatMap((result) => Object.keys(result.metafile.inputs));
writeFileSync(join(folder, "LICENSES.txt"), licences(files));
