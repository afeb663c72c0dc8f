/** What becomes of strange values of tools and frameworks. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { plain, plainFields, read, textOf } from "../../src/adapters/messages/plain.js";

test("values that JSON does not have are converted, and cycles end", () => {
  const cycle: Record<string, unknown> = {
    name: "a",
    size: 10n,
    rate: Number.NaN,
    at: new Date(0),
    nothing: undefined,
  };
  cycle["itself"] = cycle;
  cycle["map"] = new Map([["b", new Set([1])]]);
  cycle["call"] = () => 1;
  assert.deepEqual(plain(cycle), {
    name: "a",
    size: "10",
    rate: "NaN",
    at: "1970-01-01T00:00:00.000Z",
    itself: "…",
    map: { b: [1] },
  });
});

test("an object that throws when it is read does not stop the recording", () => {
  const hostile = {
    get secret(): string {
      throw new Error("no");
    },
    toJSON(): unknown {
      throw new Error("no");
    },
  };
  assert.equal(read(hostile, "secret"), undefined);
  assert.deepEqual(plainFields(hostile), { value: "…" });
});

test("bytes and long base64 texts are replaced by their length", () => {
  const image = `data:image/png;base64,${"A".repeat(5000)}`;
  assert.equal(textOf(image), "data:image/png;base64,(5000 characters left out)");
  assert.equal(textOf("A".repeat(5000)), "(5000 characters of base64 left out)");
  assert.equal(textOf("word ".repeat(1000)), "word ".repeat(1000));
  assert.deepEqual(plain({ data: new Uint8Array(7) }), { data: "(7 bytes left out)" });
});

test("a deep value ends", () => {
  let value: unknown = "end";
  for (let depth = 0; depth < 1000; depth += 1) value = { value };
  assert.ok(JSON.stringify(plain(value)).length < 2000);
});
