import assert from "node:assert/strict";
import test from "node:test";
import { partRequests } from "../src/partrequests";

type Receive = (message: object, buffers: DataView[]) => void;

/** Python, as far as a widget knows it. */
class Python {
  readonly listeners: Receive[] = [];
  readonly asked: unknown[] = [];

  on(_: string, listener: (...given: never[]) => void): void {
    this.listeners.push(listener as Receive);
  }

  off(_: string, listener: (...given: never[]) => void): void {
    this.listeners.splice(this.listeners.indexOf(listener as Receive), 1);
  }

  send(content: unknown): void {
    this.asked.push(content);
  }

  answer(message: object, ...buffers: DataView[]): void {
    for (const listener of this.listeners) listener(message, buffers);
  }
}

test("a part that is requested comes from Python", async () => {
  const python = new Python();
  const { request, close } = partRequests(python);
  const [one, other] = [request("names-0"), request("names-1")];
  assert.deepEqual(python.asked, [{ part: "names-0" }, { part: "names-1" }]);
  const bytes = [new DataView(new ArrayBuffer(1)), new DataView(new ArrayBuffer(2))];
  python.answer({ part: "names-1" }, bytes[1]);
  python.answer({ something: "else" });
  python.answer({ part: "names-0" }, bytes[0]);
  assert.deepEqual([await one, await other], bytes);
  close();
  assert.equal(python.listeners.length, 0);
});

test("where Python says why it has no part, the request fails, and can be made again", async () => {
  const python = new Python();
  const { request } = partRequests(python);
  const failed = request("reasons-0");
  python.answer({ part: "reasons-0", error: "no memory" });
  await assert.rejects(failed, /no memory/);
  const again = request("reasons-0");
  python.answer({ part: "reasons-0" }, new DataView(new ArrayBuffer(3)));
  assert.equal((await again).byteLength, 3);
});
