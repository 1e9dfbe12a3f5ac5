// Bundles the map into two files, program and styles, with the licences of what is in them; the folder for them is the
// first argument.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { licences } from "./licences.mjs";

const folder = process.argv[2] ?? "../src/mrsne/viewer/static";
const bundle = await build({
  entryPoints: { map: "src/main.ts" }, // which imports the styles, too
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
writeFileSync(join(folder, "LICENSES.txt"), licences(Object.keys(bundle.metafile.inputs)));
