/** How spans and items of OpenAI Agents become chat messages. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  ofError,
  ofGeneration,
  ofGuardrail,
  ofResponse,
  ofTool,
} from "../../src/adapters/openai-agents/spans.js";
import { Items } from "../../src/adapters/messages/items.js";

const call = { id: "c1", type: "function", function: { name: "find", arguments: '{"id":1}' } };

test("items of one answer become one message", () => {
  const items = [
    { role: "user", content: "Where?" },
    { type: "reasoning", rawContent: [{ type: "reasoning_text", text: "Hm." }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me see." }] },
    { type: "function_call", callId: "c1", name: "find", arguments: '{"id":1}' },
    { type: "function_call_result", callId: "c1", name: "find", output: { type: "text", text: "Turku" } },
    { type: "function_call_output", call_id: "c2", output: "Vaasa" },
  ];
  assert.deepEqual(new Items({ model: "m" }).extend(items).messages(), [
    { role: "user", content: "Where?" },
    { role: "assistant", content: "Let me see.", reasoning: "Hm.", model: "m", tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "Turku", name: "find" },
    { role: "tool", tool_call_id: "c2", content: "Vaasa" },
  ]);
});

test("a tool of the provider has its call and its result", () => {
  const search = {
    type: "web_search_call",
    id: "ws_1",
    status: "failed",
    action: { query: "Turku" },
    results: [{ title: "a page" }],
  };
  assert.deepEqual(new Items().extend([search]).messages(), [
    {
      role: "assistant",
      content: "",
      tool_calls: [
        {
          id: "ws_1",
          type: "function",
          function: { name: "web_search", arguments: '{"action":{"query":"Turku"}}' },
        },
      ],
    },
    {
      role: "tool",
      tool_call_id: "ws_1",
      content: '[{"title":"a page"}]',
      name: "web_search",
      status: "error",
    },
  ]);
});

test("a response has its instructions, its model and its usage", () => {
  const response = {
    id: "resp_1",
    model: "m",
    instructions: "Be brief.",
    previous_response_id: "resp_0",
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Turku." }] }],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    incomplete_details: { reason: "max_output_tokens" },
  };
  assert.deepEqual(ofResponse({ _input: "Where?", _response: response }), {
    request: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Where?" },
      ],
      after: "resp_0",
    },
    answer: {
      messages: [
        {
          role: "assistant",
          content: "Turku.",
          model: "m",
          usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
          finish_reason: "max_output_tokens",
        },
      ],
      id: "resp_1",
    },
  });
  assert.equal(ofResponse({}), undefined);
});

test("a generation has a completion, or messages", () => {
  const completion = {
    id: "FAKE_ID",
    model: "m",
    choices: [{ message: { role: "assistant", content: "Turku." } }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  };
  const exchange = ofGeneration({
    input: [{ role: "user", content: "Where?" }],
    output: [completion],
    model: "m",
  });
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
  assert.deepEqual(exchange?.answer, {
    messages: [{ model: "m", role: "assistant", content: "Turku.", usage }],
    id: undefined,
  });
  assert.equal(ofGeneration({ output: [completion] }), undefined);
});

test("errors and guardrails are recorded", () => {
  const error = { message: "Error running tool", data: { tool_name: "find", error: "broken" } };
  assert.deepEqual(ofTool({ name: "find", input: "{}", output: "" }, error), {
    role: "tool",
    name: "find",
    content: "broken",
    status: "error",
    error: "broken",
  });
  assert.deepEqual(ofGuardrail({ name: "politeness" }), {
    role: "system",
    content: "The guardrail politeness was triggered.",
  });
  assert.deepEqual(ofError({ message: "timeout", data: { after: 5 } }).error, {
    type: "timeout",
    message: '{"after":5}',
  });
});
