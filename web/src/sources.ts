// Where the parts of a map come from: a page, a server or a notebook.

import type { Source } from "./content";

/** Blocks of base64 in the page itself; of a map among several, those whose names begin with its number. */
export function pageSource(prefix = ""): Source {
  return {
    async part(name) {
      const block = document.querySelector(`script[data-part="${prefix}${name}"]`);
      if (!block?.textContent) throw new Error(`the page has no part ${name}`);
      const bytes = decodeBase64(block.textContent);
      if (!name.startsWith("sheet")) block.remove(); // to save memory: only sheets are read again
      return bytes;
    },
  };
}

/** A server, relative to the page's own address. */
export function serverSource(): Source {
  return {
    async part(name) {
      const answer = await fetch(`part/${name}`);
      if (!answer.ok) throw new Error(`the server answered ${answer.status} for ${name}`);
      return new Uint8Array(await answer.arrayBuffer());
    },
    picture: (domain, item) => `picture/${domain}/${item}`,
  };
}

/** The parts that came with a widget and, for the rest, Python. */
export function notebookSource(initial: Record<string, DataView>, request: (name: string) => Promise<DataView>): Source {
  return {
    async part(name) {
      const view = initial[name] ?? (await request(name));
      return new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) as ArrayBuffer);
    },
  };
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?(text: string): Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
