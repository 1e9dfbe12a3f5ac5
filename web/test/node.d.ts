// The part of Node that the tests use; @types/node would bring the rest.

declare module "node:test" {
  export default function test(name: string, run: () => void | Promise<void>): Promise<void>;
}

declare module "node:assert/strict" {
  function assert(value: unknown, message?: string): void;
  namespace assert {
    function equal(actual: unknown, expected: unknown, message?: string): void;
    function deepEqual(actual: unknown, expected: unknown, message?: string): void;
    function rejects(promise: Promise<unknown>, expected: RegExp): Promise<void>;
  }
  export default assert;
}
