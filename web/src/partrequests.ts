// The parts of a map that a widget requests from Python.

import type { Model } from "./notebook";

interface Waiting {
  resolve(bytes: DataView): void;
  reject(error: Error): void;
}

/** Requests parts. One fails where Python says why it has none; a Python that is not running never answers. */
export function partRequests(model: Pick<Model, "on" | "off" | "send">): { request(name: string): Promise<DataView>; close(): void } {
  const waiting = new Map<string, Waiting>();
  const receive = (message: { part?: string; error?: string }, buffers: DataView[]) => {
    if (message.part === undefined) return;
    const request = waiting.get(message.part);
    waiting.delete(message.part);
    if (message.error === undefined) request?.resolve(buffers[0]);
    else request?.reject(new Error(message.error));
  };
  model.on("msg:custom", receive);
  return {
    request: (name) =>
      new Promise((resolve, reject) => {
        waiting.set(name, { resolve, reject });
        model.send({ part: name });
      }),
    close: () => model.off("msg:custom", receive),
  };
}
