/** How messages of the AI SDK become chat messages, and where memories go in a prompt. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { messagesWith, promptWith } from "../../src/adapters/ai/lessons.js";
import {
  answerOf,
  requestOf,
  taskOf,
  toolOutputMessage,
  toolResultsOf,
} from "../../src/adapters/ai/messages.js";

const BLOCK = "<memories>Look twice.</memories>";
const call = { type: "tool-call", toolCallId: "c1", toolName: "find", input: { id: 1 } };
const asked = { id: "c1", type: "function", function: { name: "find", arguments: '{"id":1}' } };

test("a request has its instructions, its calls and one message for each result", () => {
  const results = [
    {
      type: "tool-result",
      toolCallId: "c1",
      toolName: "find",
      output: { type: "json", value: { at: "Turku" } },
    },
    { type: "tool-result", toolCallId: "c2", toolName: "find", output: { type: "error-text", value: "no" } },
    {
      type: "tool-result",
      toolCallId: "c3",
      toolName: "find",
      output: { type: "execution-denied", reason: "not now" },
    },
    {
      type: "tool-result",
      toolCallId: "c4",
      toolName: "find",
      output: {
        type: "content",
        value: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    },
  ];
  const messages = requestOf({
    instructions: "Be brief.",
    messages: [
      { role: "user", content: [{ type: "text", text: "Where?" }] },
      {
        role: "assistant",
        content: [{ type: "reasoning", text: "Hm." }, { type: "text", text: "Let me see." }, call],
      },
      { role: "tool", content: results },
    ],
  });
  assert.deepEqual(messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where?" },
    { role: "assistant", content: "Let me see.", reasoning: "Hm.", tool_calls: [asked] },
    { role: "tool", name: "find", tool_call_id: "c1", content: '{"at":"Turku"}' },
    { role: "tool", name: "find", tool_call_id: "c2", content: "no", status: "error" },
    { role: "tool", name: "find", tool_call_id: "c3", content: "not now", status: "error" },
    { role: "tool", name: "find", tool_call_id: "c4", content: "a\nb" },
  ]);
});

test("an answer has its model, its usage and an unusual reason to end", () => {
  const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5, raw: {} };
  const content = [{ type: "text", text: "In " }, { type: "text", text: "Turku." }, call];
  assert.deepEqual(answerOf({ modelId: "m", finishReason: "length", usage, content }), {
    role: "assistant",
    content: "In Turku.",
    tool_calls: [asked],
    model: "m",
    finish_reason: "length",
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  });
});

test("an image in an answer is kept without its bytes, and a call that could not be parsed with its error", () => {
  const file = { type: "file", file: { mediaType: "image/png", uint8Array: new Uint8Array(3) } };
  const invalid = { ...call, input: "{", invalid: true, error: new Error("not JSON") };
  const answer = answerOf({ content: [file, invalid] });
  assert.deepEqual(answer.content, [
    { type: "file", file: { mediaType: "image/png", uint8Array: "(3 bytes left out)" } },
  ]);
  assert.deepEqual(answer.tool_calls, [
    { ...asked, function: { name: "find", arguments: "{" }, error: "Error: not JSON" },
  ]);
});

test("results of tools that the provider ran are apart from the answer", () => {
  const result = { type: "tool-result", toolCallId: "c1", toolName: "search", output: ["a page"] };
  assert.deepEqual(toolResultsOf({ content: [call, result] }), [
    { role: "tool", name: "search", tool_call_id: "c1", content: '["a page"]' },
  ]);
  assert.deepEqual(toolOutputMessage({ ...result, type: "tool-error", error: new TypeError("broken") }), {
    role: "tool",
    name: "search",
    tool_call_id: "c1",
    content: "TypeError: broken",
    status: "error",
  });
});

test("the task is the text of the last message of the user", () => {
  const image = { type: "file", mediaType: "image/png", data: "AAAA" };
  const messages = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi" },
    { role: "user", content: [image, { type: "text", text: "What is this?" }] },
    { role: "tool", content: [] },
  ];
  assert.equal(taskOf({ messages }), "What is this?");
  assert.equal(taskOf({ messages: [{ role: "user", content: "😀".repeat(9000) }] })?.length, 16_000);
  assert.equal(taskOf({ messages: [{ role: "user", content: `a${"😀".repeat(9000)}` }] })?.length, 15_999);
  assert.equal(taskOf({ messages: [] }), undefined);
  assert.equal(taskOf({ messages: [{ role: "user", content: [image] }] }), undefined);
});

test("memories are added once, below the last text of the last message of the user", () => {
  const prompt = [
    { role: "system" as const, content: "Be brief." },
    { role: "user" as const, content: [{ type: "text" as const, text: "First." }] },
    { role: "user" as const, content: [{ type: "text" as const, text: "Where?" }] },
    { role: "assistant" as const, content: [{ type: "text" as const, text: "There." }] },
  ];
  const changed = promptWith(prompt, BLOCK);
  assert.deepEqual(changed[2]?.content, [{ type: "text", text: `Where?\n\n${BLOCK}` }]);
  assert.deepEqual(changed[1], prompt[1]);
  assert.equal(promptWith(changed, BLOCK), changed);
  assert.equal(promptWith(prompt, ""), prompt);
  assert.equal(promptWith([prompt[0]!], BLOCK).length, 1);
});

test("recorded messages get the same memories as the prompt", () => {
  const messages = [
    { role: "user", content: "Where?" },
    { role: "assistant", content: "There." },
  ];
  assert.deepEqual(messagesWith(messages, BLOCK)[0], { role: "user", content: `Where?\n\n${BLOCK}` });
  assert.equal(messagesWith(messages, ""), messages);
});
