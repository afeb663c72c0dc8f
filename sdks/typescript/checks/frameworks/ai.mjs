/** The AI SDK by Vercel: `generateText`, `streamText` and `ToolLoopAgent`, with the telemetry, the middleware and the tools. */

import assert from "node:assert/strict";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, streamText, tool, ToolLoopAgent, wrapLanguageModel } from "ai";
import { reflectMiddleware, reflectTelemetry, reflectTools } from "reflect-memory/ai";
import { z } from "zod";

import { call, Slow, Trouble } from "./model-server.mjs";
import { runExample, runPage } from "./pages.mjs";
import { messagesOfRequest } from "./protocols.mjs";
import { assertSameAsModel, assertTaught, assertUsage, essence, GUIDANCE, TASK } from "./world.mjs";

export const title = "Vercel AI SDK";
export const packageName = "ai";

const ANSWER = "It is at the depot in Turku.";
const LOOK_UP = { tool_calls: [call("findOrder", { id: 1182 })] };

const findOrder = tool({
  description: "Finds an order",
  inputSchema: z.object({ id: z.number() }),
  execute: async ({ id }) => {
    if (id === 0) throw new Error("there is no order 0");
    return { id, place: "the depot in Turku" };
  },
});

function plainModel(model) {
  return createOpenAICompatible({
    name: "loopback",
    baseURL: model.url,
    apiKey: "none",
    includeUsage: true,
  })("loopback-1");
}

/** What every call of a check has: a model with the middleware, the telemetry, and a tool. */
function setting(client, model, { tools, ...telemetryOptions } = {}) {
  return {
    model: wrapLanguageModel({ model: plainModel(model), middleware: reflectMiddleware(client) }),
    instructions: "You answer customers of a shop.",
    tools: { findOrder, ...tools },
    stopWhen: isStepCount(5),
    maxRetries: 0,
    telemetry: { integrations: [reflectTelemetry(client, telemetryOptions)] },
  };
}

/** What a model says that looks the order up and then answers, whichever run asks. */
const lookUpFirst = (request) =>
  messagesOfRequest(request).some(({ role }) => role === "tool") ? ANSWER : LOOK_UP;

export const checks = {
  async "generateText with a tool becomes one trace that equals what the model saw"({ world, model }) {
    const client = world.client();
    model.says(LOOK_UP, ANSWER);

    const { text } = await generateText({ ...setting(client, model), prompt: TASK });

    assert.equal(text, ANSWER);
    const trace = await world.onlyTrace(client);
    assert.equal(trace.task, TASK);
    assert.equal(trace.finalResponse, ANSWER);
    assert.equal(trace.model, "loopback-1");
    assertSameAsModel(trace, model, ANSWER);
  },

  async "streamText with a tool becomes one trace that equals what the model saw"({ world, model }) {
    const client = world.client();
    model.says(LOOK_UP, ANSWER);

    const result = streamText({ ...setting(client, model), prompt: TASK });

    assert.equal(await textOf(result.textStream), ANSWER);
    assertSameAsModel(await world.onlyTrace(client), model, ANSWER);
  },

  async "an agent, called and streamed, becomes one trace for each call"({ world, model }) {
    const client = world.client();
    const agent = new ToolLoopAgent(setting(client, model));
    model.says(LOOK_UP, ANSWER);
    await agent.generate({ prompt: TASK });
    assertSameAsModel(await world.onlyTrace(client), model, ANSWER);

    model.says(LOOK_UP, "It is in Vaasa.");
    const result = await agent.stream({ prompt: "Where is order 1190?" });
    assert.equal(await textOf(result.textStream), "It is in Vaasa.");

    const traces = await world.traces(client);
    assert.equal(traces.length, 2);
    const second = traces.find(({ task }) => task === "Where is order 1190?");
    assertSameAsModel(second, model, "It is in Vaasa.");
  },

  async "the lessons are in the prompt of every step, and the run is linked to them"({ world, model }) {
    for (const streamed of [false, true]) {
      const client = await world.taught();
      model.says(LOOK_UP, ANSWER);
      if (streamed) await textOf(streamText({ ...setting(client, model), prompt: TASK }).textStream);
      else await generateText({ ...setting(client, model), prompt: TASK });

      assert.equal(model.requests.length, 2);
      assertTaught(model);
      const trace = (await world.traces(client)).find(({ trajectory }) => trajectory.length > 0);
      assert.equal(trace.linkedMemoryIds.length, 1);
      assertSameAsModel(trace, model, ANSWER);
    }
  },

  async "a call inside client.trace is part of that run, and gets its lessons once"({ world, model }) {
    const client = await world.taught();
    model.says(LOOK_UP, ANSWER, "Refunded.");

    await client.trace(TASK, async (run) => {
      await generateText({ ...setting(client, model), prompt: run.augmentedTask });
      await generateText({ ...setting(client, model), prompt: "Refund it." });
      run.review("pass");
    });

    assertTaught(model);
    const trace = (await world.traces(client)).find(({ trajectory }) => trajectory.length > 0);
    assert.equal(trace.review.result, "pass");
    assert.deepEqual(
      trace.trajectory.map(({ role }) => role),
      ["system", "user", "assistant", "tool", "assistant", "user", "assistant"],
    );
    assertUsage(trace);
  },

  async "a call inside a tool is part of the run of the tool"({ world, model }) {
    const client = world.client();
    const ask = tool({
      description: "Asks a colleague",
      inputSchema: z.object({ question: z.string() }),
      execute: async ({ question }) =>
        (await generateText({ ...setting(client, model), prompt: question })).text,
    });
    model.says({ tool_calls: [call("ask", { question: "Which depot?" })] }, "Turku.", ANSWER);

    await generateText({ ...setting(client, model, { tools: { ask } }), prompt: TASK });

    const trace = await world.onlyTrace(client);
    assert.deepEqual(trace.trajectory.map(essence), [
      ["system", "You answer customers of a shop.", [], ""],
      ["user", TASK, [], ""],
      ["assistant", "", [["call_1", "ask", { question: "Which depot?" }]], ""],
      ["user", "Which depot?", [], ""],
      ["assistant", "Turku.", [], ""],
      ["tool", "Turku.", [], "call_1"],
      ["assistant", ANSWER, [], ""],
    ]);
  },

  async "the error of a tool is recorded, and the agent goes on"({ world, model }) {
    const client = world.client();
    model.says({ tool_calls: [call("findOrder", { id: 0 })] }, "There is no such order.");

    const { text } = await generateText({ ...setting(client, model), prompt: TASK });

    assert.equal(text, "There is no such order.");
    const result = (await world.onlyTrace(client)).trajectory.find(({ role }) => role === "tool");
    assert.equal(result.status, "error");
    assert.match(result.content, /there is no order 0/);
  },

  async "the error of a model is recorded, and reaches the caller unchanged"({ world, model }) {
    for (const streamed of [false, true]) {
      const client = world.client();
      model.says(LOOK_UP, new Trouble(400));
      const errors = [];
      const onError = ({ error }) => errors.push(error);
      if (streamed) await textOf(streamText({ ...setting(client, model), prompt: TASK, onError }).textStream);
      else
        await generateText({ ...setting(client, model), prompt: TASK }).catch((error) => errors.push(error));

      assert.equal(errors.length, 1);
      assert.equal(errors[0].statusCode, 400);
      const trace = await world.onlyTrace(client);
      assert.deepEqual(
        trace.trajectory.map(({ role }) => role),
        ["system", "user", "assistant", "tool", "assistant"],
      );
      assert.match(trace.trajectory.at(-1).error.message, /out of order/);
      assert.equal(trace.review.result, "fail");
      assert.match(trace.review.feedbackText, /out of order/);
    }
  },

  async "a stream is not delayed: each piece arrives before the next one is sent"({ world, model }) {
    const client = await world.taught();
    const slow = new Slow(ANSWER);
    model.says(slow);
    let text = "";
    slow.tick();
    for await (const piece of streamText({ ...setting(client, model), prompt: TASK }).textStream) {
      // With a delayed piece, the model server would wait forever.
      text += piece;
      slow.tick();
    }
    assert.equal(text, ANSWER);
  },

  async "a cancelled stream is stored as interrupted, with the text so far"({ world, model }) {
    const client = world.client();
    const slow = new Slow(ANSWER);
    const cancellation = new AbortController();
    model.says(slow);
    let text = "";
    slow.tick();
    slow.tick();
    const result = streamText({
      ...setting(client, model),
      prompt: TASK,
      abortSignal: cancellation.signal,
    });
    for await (const piece of result.textStream) {
      text += piece;
      if (text.length >= 10) cancellation.abort();
    }
    const trace = await world.onlyTrace(client);
    assert.equal(trace.review, null);
    assert.equal(trace.metadata.reflect.interrupted, "AbortError");
    assert.equal(trace.trajectory.at(-1).content, text);
    assert.equal(trace.trajectory.at(-1).incomplete, true);
  },

  async "concurrent calls do not mix"({ world, model }) {
    const client = world.client();
    const tasks = ["Find order 1.", "Find order 2.", "Find order 3."];
    model.says(...Array(6).fill(lookUpFirst));

    // With one telemetry, as if it were registered.
    const shared = setting(client, model);
    await Promise.all(tasks.map((prompt) => generateText({ ...shared, prompt })));

    const traces = await world.traces(client);
    assert.deepEqual(traces.map(({ task }) => task).toSorted(), tasks);
    for (const { task, trajectory } of traces) {
      assert.equal(trajectory.length, 5);
      assert.equal(trajectory[1].content, task);
    }
  },

  async "the tools retrieve memories and review the run"({ world, model }) {
    const client = await world.taught();
    model.says(
      { tool_calls: [call("retrieveMemories", { task: TASK })] },
      { tool_calls: [call("reviewRun", { result: "pass" }, "call_2")] },
      ANSWER,
    );
    const plain = {
      ...setting(client, model),
      model: plainModel(model),
      tools: reflectTools(client),
    };

    await generateText({ ...plain, prompt: TASK });

    const trace = (await world.traces(client)).find(({ trajectory }) => trajectory.length > 0);
    const [memories] = trace.trajectory.filter(({ role }) => role === "tool");
    assert.match(memories.content, new RegExp(GUIDANCE));
    assert.equal(
      trace.linkedMemoryIds.length,
      1,
      "the run is not linked to the memories in the result of the tool",
    );
    assert.equal(trace.review.result, "pass");
  },

  async "an application gets the id of the trace, and recording can be switched off for a call"({
    world,
    model,
  }) {
    const client = world.client();
    const ids = [];
    const onTrace = (id) => ids.push(id);
    model.says(ANSWER, ANSWER);

    const recorded = setting(client, model, { onTrace });
    await generateText({ ...recorded, prompt: TASK });
    await generateText({
      ...recorded,
      prompt: TASK,
      telemetry: { ...recorded.telemetry, recordInputs: false },
    });

    assert.deepEqual(ids, [(await world.onlyTrace(client)).id]);
  },

  async "with the server down, generateText and streamText work unchanged"({ world, model }) {
    const client = world.disconnected();
    model.says(LOOK_UP, ANSWER, LOOK_UP, ANSWER);

    const { text } = await generateText({
      ...setting(client, model, { tools: reflectTools(client) }),
      prompt: TASK,
    });
    const result = streamText({ ...setting(client, model), prompt: TASK });

    assert.equal(text, ANSWER);
    assert.equal(await textOf(result.textStream), ANSWER);
  },

  async "with the server down, the tools answer with a text"({ world, model }) {
    const client = world.disconnected();
    model.says({ tool_calls: [call("retrieveMemories", { task: TASK })] }, ANSWER);

    const { text, steps } = await generateText({
      ...setting(client, model, { tools: reflectTools(client) }),
      prompt: TASK,
    });

    assert.equal(text, ANSWER);
    assert.match(steps[0].toolResults[0].output, /not available/);
  },

  async "the how-to page runs"({ world, model }) {
    model.says(LOOK_UP, ANSWER, LOOK_UP, ANSWER, ANSWER);
    await runPage("vercel-ai-sdk.md", world.environment(model));
  },

  async "the example learns from its first run"({ world, model }) {
    model.says(LOOK_UP, "It is in Turku.", LOOK_UP, "It is in Vaasa.");
    const output = await runExample("vercel-ai-sdk.ts", world.environment(model));
    assert.match(output, /second answer: It is in Vaasa\.\nmemories in the prompt of the second run: 1\n/);
  },
};

async function textOf(stream) {
  let text = "";
  for await (const piece of stream) text += piece;
  return text;
}
