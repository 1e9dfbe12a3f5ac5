// Runs the tests with Node's own test runner, all of them or those of the modules that are named: node test/run.mjs camera.
// They are bundled first, since Node does not resolve imports without file endings.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.some((module) => name === `${module}.test.ts`);
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts") && isWanted(name));
const folder = mkdtempSync(join(tmpdir(), "mrsne-web-"));
try {
  await build({
    entryPoints: tests.map((name) => join(here, name)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    loader: { ".css": "empty" },
    format: "esm",
    target: "node24",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const files = readdirSync(folder).map((name) => join(folder, name));
  const options = ["--test", "--enable-source-maps", `--test-reporter=${process.stdout.isTTY ? "spec" : "dot"}`];
  process.exitCode = spawnSync(process.execPath, [...options, ...files], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
