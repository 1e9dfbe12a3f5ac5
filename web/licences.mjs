// The licence texts of the packages in a bundle.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Joins the licences of all runtime packages, and of any other package that a bundled file is from.
 * Runtime packages count as a whole: what one publishes may already contain code of those it depends on.
 */
export function licences(bundledFiles) {
  const { packages } = JSON.parse(readFileSync("node_modules/.package-lock.json", "utf8"));
  const inBundle = (folder) => bundledFiles.some((file) => file.startsWith(`${folder}/`));
  const found = Object.entries(packages)
    .filter(([folder, about]) => !about.dev || inBundle(folder))
    .map(([folder, about]) => {
      const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
      return `${name} ${about.version} (${about.license})\n\n${licence(folder)}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
  return found || "The program of the map is mrsne's own: no other package is in it.\n";
}

function licence(folder) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  if (files.length === 0) throw new Error(`${folder} has no licence file, but its code is in the bundle`);
  return files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
}
