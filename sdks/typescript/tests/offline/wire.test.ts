/** Names, JSON and masking of bodies. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { MaskError } from "../../src/index.js";
import { newTraceId } from "../../src/ids.js";
import { toJson } from "../../src/wire/encode.js";
import { maskedJson } from "../../src/wire/mask.js";
import { toClient, toContract } from "../../src/wire/names.js";

test("names are converted there and back, and the caller's keys are not", () => {
  const contract = {
    created_memory_id: "m",
    credit_interval: [0.1, 0.9],
    metadata: { order_id: 1, nested: { line_item: 2 } },
    trajectory: [{ role: "tool", tool_call_id: "c" }],
    memories: [{ key_mistake: "k", metadata: { a_b: 1 } }],
  };
  const client = toClient(contract) as Record<string, unknown>;
  assert.deepEqual(client["metadata"], contract.metadata);
  assert.deepEqual(client["trajectory"], contract.trajectory);
  assert.deepEqual(client["memories"], [{ keyMistake: "k", metadata: { a_b: 1 } }]);
  assert.equal(client["createdMemoryId"], "m");
  assert.deepEqual(toContract(client), contract);
});

test("every value can be stored", () => {
  const loop: Record<string, unknown> = {
    name: "loop",
    big: 10n,
    bytes: new Uint8Array(3),
    set: new Set([1]),
  };
  loop["self"] = loop;
  loop["bad"] = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("unreadable");
    },
  });
  loop["error"] = new TypeError("wrong");
  loop["map"] = new Map([["a", 1]]);
  const read = JSON.parse(toJson(loop));
  assert.equal(read.self, "…");
  assert.deepEqual(
    [read.big, read.bytes, read.set, read.bad, read.error, read.map],
    ["10", "[3 bytes]", [1], { x: "…" }, { name: "TypeError", message: "wrong" }, { a: 1 }],
  );
});

test("a structure that is too deep does not throw", () => {
  let deep: unknown = "end";
  for (let level = 0; level < 10_000; level += 1) deep = { deep };
  assert.match(toJson(deep), /^\{"deep":/);
});

test("a mask changes every text of a run, and no protocol value", () => {
  const body = {
    trace_id: "t",
    task: "secret",
    model: "secret-model",
    retrieved_memory_ids: ["secret-id"],
    trajectory: [
      {
        role: "assistant",
        content: "secret",
        reflect_step: { task: "secret", action: "secret", retrieval_id: "secret" },
      },
      "secret",
    ],
    metadata: { secret: ["secret", { deep: "secret" }] },
    review: { result: "fail", feedback_text: "secret" },
  };
  const masked = JSON.parse(maskedJson((text) => text.replaceAll("secret", "[x]"), body));
  assert.deepEqual(masked, {
    ...body,
    task: "[x]",
    trajectory: [
      {
        role: "assistant",
        content: "[x]",
        reflect_step: { task: "[x]", action: "[x]", retrieval_id: "secret" },
      },
      "[x]",
    ],
    metadata: { secret: ["[x]", { deep: "[x]" }] },
    review: { result: "fail", feedback_text: "[x]" },
  });
});

test("an error of the mask is a MaskError", () => {
  const broken = () => {
    throw new Error("mask");
  };
  assert.throws(() => maskedJson(broken, { task: "t" }), MaskError);
});

test("trace ids are sorted by time and are never the same", () => {
  const ids = Array.from({ length: 1000 }, newTraceId);
  assert.equal(new Set(ids).size, 1000);
  assert.match(ids[0]!, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const time = Number.parseInt(ids[0]!.replaceAll("-", "").slice(0, 12), 16);
  assert.ok(Math.abs(Date.now() - time) < 60_000);
});
