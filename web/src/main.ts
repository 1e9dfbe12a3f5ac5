// One program for all: it starts by itself in a page, and hands itself over in a notebook.

import { App } from "./app";
import { type About, Content } from "./content";
import { render } from "./notebook";
import { pageSource, serverSource } from "./sources";

export default { render };

async function boot(root: HTMLElement, described: string): Promise<void> {
  try {
    const about = JSON.parse(described) as About;
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
const described = document.getElementById("mrsne-about")?.textContent;
if (root && described) void boot(root, described);
