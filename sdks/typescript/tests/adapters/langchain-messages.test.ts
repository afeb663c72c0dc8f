/** How messages and callback arguments of LangChain become chat messages. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  answerId,
  answersOf,
  failedTool,
  langchainMessage,
  toolResults,
} from "../../src/adapters/langchain/messages.js";

const call = { id: "c1", type: "function", function: { name: "find", arguments: '{"id":1}' } };

test("messages of each class and form become chat messages", () => {
  const answer = {
    type: "ai",
    content: [
      { type: "text", text: "Let me " },
      { type: "text", text: "see." },
      { type: "tool_use", id: "c1", name: "find", input: {} },
    ],
    tool_calls: [{ id: "c1", name: "find", args: { id: 1 } }],
    invalid_tool_calls: [{ id: "c2", name: "find", args: "{", error: "not JSON" }],
    response_metadata: { model_name: "m", id: "chatcmpl-1" },
    usage_metadata: { input_tokens: 3, output_tokens: 2, total_tokens: 5, input_token_details: {} },
  };
  assert.deepEqual(langchainMessage(answer), {
    role: "assistant",
    content: "Let me see.",
    tool_calls: [
      call,
      { id: "c2", type: "function", function: { name: "find", arguments: "{" }, error: "not JSON" },
    ],
    model: "m",
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  });
  assert.deepEqual(langchainMessage({ type: "human", content: "Hi", name: "Ann" }), {
    role: "user",
    content: "Hi",
    name: "Ann",
  });
  assert.deepEqual(langchainMessage({ type: "generic", role: "critic", content: "No." }), {
    role: "critic",
    content: "No.",
  });
  assert.deepEqual(langchainMessage({ role: "human", content: "Hi" }), { role: "user", content: "Hi" });
  assert.deepEqual(langchainMessage(["ai", "Hello"]), { role: "assistant", content: "Hello" });
  assert.deepEqual(langchainMessage("Hi"), { role: "user", content: "Hi" });
});

test("an answer of a model has the id of the provider", () => {
  const message = { type: "ai", content: "Hi", response_metadata: { id: "chatcmpl-1" }, id: "run-1" };
  const result = { generations: [[{ text: "Hi", message }]], llmOutput: { model_name: "m" } };
  assert.equal(answerId(result), "chatcmpl-1");
  assert.deepEqual(answersOf(result), [{ model: "m", role: "assistant", content: "Hi" }]);
  assert.deepEqual(answersOf({ generations: [[{ text: "completion" }]] }), [
    { role: "assistant", content: "completion" },
  ]);
});

test("a tool returns a value, a message, or a command with messages", () => {
  const message = { type: "tool", tool_call_id: "c1", content: "Turku", name: "find" };
  const expected = { role: "tool", content: "Turku", name: "find", tool_call_id: "c1" };
  assert.deepEqual(toolResults({ at: "Turku" }, "find", "c1"), [{ ...expected, content: '{"at":"Turku"}' }]);
  assert.deepEqual(toolResults(message, "other", undefined), [expected]);
  assert.deepEqual(
    toolResults({ update: { messages: [message, { type: "human", content: "x" }] } }, "find", "c1"),
    [expected],
  );
});

test("an interruption of a graph is not an error of its tool", () => {
  const interruption = Object.assign(new Error("wait"), { name: "GraphInterrupt" });
  assert.equal(failedTool(interruption, "find", "c1"), undefined);
  assert.deepEqual(failedTool(new TypeError("broken"), "find", "c1"), {
    role: "tool",
    name: "find",
    tool_call_id: "c1",
    content: "TypeError: broken",
    status: "error",
  });
});
