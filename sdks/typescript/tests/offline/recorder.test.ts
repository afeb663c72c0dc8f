/** What is recorded when conversations grow, repeat themselves and run side by side. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Message, Run } from "../../src/index.js";
import {
  currentRecorder,
  errorMessage,
  guarded,
  recorderOf,
  toolCall,
  toolMessage,
} from "../../src/recorder/index.js";
import { clientOf } from "../support/client.js";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
const texts = (run: Run): unknown[] => run.messages.map(({ content }) => content);

/** A run that needs no server. */
async function newRun(): Promise<Run> {
  return clientOf({ url: "http://127.0.0.1:1" }).client.startTrace("t", { retrieve: false });
}

test("a server that gives every answer the same id loses none", async () => {
  const run = await newRun();
  const recorder = recorderOf(run);
  recorder.exchange({ messages: [user("a")] }, { messages: [said("1")], id: "same" }, "one");
  recorder.exchange({ messages: [user("b")] }, { messages: [said("2")], id: "same" }, "one");
  recorder.exchange({ messages: [user("c")] }, { messages: [said("3")], id: "same" }, "other");
  // And this is the last one again, seen by another adapter.
  recorder.exchange({ messages: [user("c")] }, { messages: [said("3")], id: "same" }, "one");
  assert.deepEqual(texts(run), ["a", "1", "b", "2", "c", "3"]);
});

test("conversations that grow in turns are each recorded once", async () => {
  const run = await newRun();
  const conversations = ["a", "b", "c"].map((name) => [user(`${name}?`)]);
  for (let step = 0; step < 4; step += 1) {
    conversations.forEach((conversation, index) => {
      const answer = said(`${index}-${step}`);
      recorderOf(run).exchange({ messages: [...conversation] }, { messages: [answer] }, "");
      conversation.push(answer, user(`${index}-${step}?`));
    });
  }
  assert.equal(texts(run).length, 3 * (4 + 4));
  assert.equal(new Set(texts(run)).size, 3 * (4 + 4));
});

test("results of tools are recorded once although ids come again", async () => {
  const run = await newRun();
  const recorder = recorderOf(run);
  const conversation = [user("go")];
  for (let step = 0; step < 3; step += 1) {
    const asked: Message = { role: "assistant", content: "", tool_calls: [toolCall("call_0", "f", {})] };
    recorder.exchange({ messages: [...conversation] }, { messages: [asked] }, "");
    const result = toolMessage("call_0", "f", `result ${step}`);
    recorder.toolResult(result);
    // What goes back to the model is worded differently.
    conversation.push(asked, { ...result, content: `The tool gave: result ${step}` });
  }
  assert.deepEqual(texts(run), ["go", "", "result 0", "", "result 1", "", "result 2"]);
});

test("a tool that no model asked for is recorded with its call", async () => {
  const run = await newRun();
  recorderOf(run).toolResult(toolMessage(undefined, "search", { hits: 2 }), { q: "x" });
  assert.deepEqual(run.messages, [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "", type: "function", function: { name: "search", arguments: '{"q":"x"}' } }],
    },
    { role: "tool", name: "search", content: '{"hits":2}' },
  ]);
});

test("a result without an id gets the id of the open call with its name and arguments", async () => {
  const run = await newRun();
  const recorder = recorderOf(run);
  const calls = [toolCall("1", "f", { a: 1, b: 2 }), toolCall("2", "f", { a: 2 })];
  recorder.exchange(
    { messages: [user("go")] },
    { messages: [{ role: "assistant", content: "", tool_calls: calls }] },
    "",
  );
  recorder.toolResult(toolMessage(undefined, "f", "second"), { a: 2 });
  recorder.toolResult(toolMessage(undefined, "f", "first"), '{"b": 2, "a": 1}');
  assert.deepEqual(
    run.messages.slice(2).map(({ tool_call_id, content }) => [tool_call_id, content]),
    [
      ["2", "second"],
      ["1", "first"],
    ],
  );
});

test("a history whose beginning was removed is recognized", async () => {
  const run = await newRun();
  const recorder = recorderOf(run);
  const all = [user("1"), said("2"), user("3")];
  recorder.exchange({ messages: all }, { messages: [said("4")] }, "");
  recorder.exchange({ messages: [user("3"), said("4"), user("5")] }, { messages: [said("6")] }, "");
  assert.deepEqual(texts(run), ["1", "2", "3", "4", "5", "6"]);
});

test("instructions are recorded once, also if their role has another name", async () => {
  const run = await newRun();
  const recorder = recorderOf(run);
  recorder.exchange(
    { messages: [{ role: "system", content: "be brief" }, user("a")] },
    { messages: [said("1")] },
    "",
  );
  recorder.exchange(
    { messages: [{ role: "developer", content: " be brief " }, user("b")] },
    { messages: [said("2")] },
    "",
  );
  assert.deepEqual(texts(run), ["be brief", "a", "1", "b", "2"]);
});

test("a request after an answer has only its new messages", async () => {
  const run = await newRun();
  const recorder = recorderOf(run);
  recorder.exchange({ messages: [user("a")] }, { messages: [said("1")], id: "r1" }, "");
  recorder.exchange({ messages: [user("b")], after: "r1" }, { messages: [said("2")], id: "r2" }, "");
  recorder.exchange(
    { messages: [user("a"), said("1"), user("b"), said("2"), user("c")] },
    { messages: [said("3")] },
    "",
  );
  assert.deepEqual(texts(run), ["a", "1", "b", "2", "c", "3"]);
});

test("a streamed call is recorded when it begins and when it ends", async () => {
  const run = await newRun();
  const recorder = recorderOf(run);
  const conversation = recorder.ask({ messages: [user("a")] });
  assert.deepEqual(texts(run), ["a"]);
  recorder.answer(conversation, { messages: [said("1")] }, "");
  recorder.exchange({ messages: [user("a"), said("1"), user("b")] }, { messages: [said("2")] }, "");
  assert.deepEqual(texts(run), ["a", "1", "b", "2"]);
});

test("alternative answers are each a way on", async () => {
  const run = await newRun();
  const recorder = recorderOf(run);
  recorder.exchange({ messages: [user("a")] }, { messages: [said("x"), said("y")], parallel: true }, "");
  recorder.exchange({ messages: [user("a"), said("y"), user("b")] }, { messages: [said("z")] }, "");
  assert.deepEqual(texts(run), ["a", "x", "y", "b", "z"]);
});

test("a long run does not slow down", async () => {
  const run = await newRun();
  const recorder = recorderOf(run);
  for (let index = 0; index < 2000; index += 1) {
    recorder.exchange(
      { messages: [user(`${index}?`)] },
      { messages: [said(`${index}`)], id: `id${index}` },
      "",
    );
  }
  assert.equal(run.messages.length, 4000);
});

test("there is a recorder only inside a run", async () => {
  assert.equal(currentRecorder(), undefined);
  const run = await newRun();
  run.within(() => assert.equal(currentRecorder(), recorderOf(run)));
});

test("errors of an adapter do not reach the call", async () => {
  const failing = () => {
    throw new Error("adapter");
  };
  assert.equal(guarded("testing", failing), undefined);
  assert.equal(await guarded("testing", () => Promise.reject(new Error("adapter"))), undefined);
  assert.equal(
    guarded("testing", () => 7),
    7,
  );
});

test("an error of a model is a message", () => {
  assert.deepEqual(errorMessage(new RangeError("too long")), {
    role: "assistant",
    content: "",
    error: { type: "RangeError", message: "too long" },
  });
});
