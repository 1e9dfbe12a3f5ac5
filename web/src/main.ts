// The entry point: in a page the map starts by itself, in a notebook anywidget calls `render`.

import { App } from "./app";
import { type CompareAbout, Comparison } from "./compare";
import { type About, Content } from "./content";
import { render } from "./notebook";
import { pageSource, serverSource } from "./sources";
import "./style.css"; // after the panels', whose rules it changes on narrow screens

export default { render };

async function boot(root: HTMLElement, description: string): Promise<void> {
  try {
    const about = JSON.parse(description) as About | CompareAbout;
    if ("maps" in about) {
      const comparison = await Comparison.open(root, about);
      Object.assign(root, { app: comparison });
      return await comparison.start();
    }
    const source = about.source === "server" ? serverSource() : pageSource();
    const app = new App(root, await Content.open(about, source));
    Object.assign(root, { app }); // for scripts: document.querySelector(".mrsne").app
    await app.start();
  } catch (error) {
    root.textContent = `This map cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    root.dataset.ready = "failed";
    throw error;
  }
}

const root = document.getElementById("mrsne");
const description = document.getElementById("mrsne-about")?.textContent;
if (root && description) void boot(root, description);
