/** OpenAI Agents for TypeScript: agents with tools, recorded through the framework's tracing. */

import assert from "node:assert/strict";

import { Agent, OpenAIProvider, Runner, setTraceProcessors, tool } from "@openai/agents";
import { messagesOf, ReflectTracingProcessor } from "reflect-memory/openai-agents";
import { z } from "zod";

import { call, Slow, Trouble } from "./model-server.mjs";
import { runExample, runPage } from "./pages.mjs";
import { messagesOfRequest } from "./protocols.mjs";
import { assertSameAsModel, assertTaught, essence, TASK } from "./world.mjs";

export const title = "OpenAI Agents for TypeScript";
export const packageName = "@openai/agents";

const ANSWER = "It is at the depot in Turku.";
const LOOK_UP = { tool_calls: [call("find_order", { id: 1182 })] };
/** The same for the page and the example. */
const LOOK_UP_AGAIN = { tool_calls: [call("findOrder", { id: 1182 })] };

// Instead of the default processor, which sends traces to OpenAI.
const processor = new ReflectTracingProcessor();
setTraceProcessors([processor]);

const findOrder = tool({
  name: "find_order",
  description: "Finds an order",
  parameters: z.object({ id: z.number() }),
  execute: async ({ id }) => {
    if (id === 0) throw new Error("there is no order 0");
    return `order ${id} is at the depot in Turku`;
  },
});

/** The same tool with a text of its own for its errors. Without it, the framework hides the reason. */
const findParcel = tool({
  name: "find_parcel",
  description: "Finds a parcel",
  parameters: z.object({ id: z.number() }),
  execute: async ({ id }) => {
    throw new Error(`there is no order ${id}`);
  },
  errorFunction: (_, error) => `The tool failed: ${error.message}`,
});

/** The framework uses the Responses API by default. Other servers have only the chat API. */
const APIS = { "the Responses API": true, "the chat API": false };

function runnerOf(model, useResponses = true, settings = {}) {
  const modelProvider = new OpenAIProvider({ apiKey: "none", baseURL: model.url, useResponses });
  return new Runner({ modelProvider, model: "loopback-1", ...settings });
}

function agentOf(more = {}) {
  return new Agent({
    name: "support",
    instructions: "You answer customers of a shop.",
    tools: [findOrder, findParcel],
    ...more,
  });
}

async function streamed(runner, agent, input) {
  const result = await runner.run(agent, input, { stream: true });
  let text = "";
  for await (const piece of result.toTextStream()) text += piece;
  await result.completed;
  return text;
}

/** What a model says that looks the order up and then answers, whichever run asks. */
const lookUpFirst = (request) =>
  messagesOfRequest(request).some(({ role }) => role === "tool") ? ANSWER : LOOK_UP;

/** The checks that depend on the API of the model. */
function checksOf([api, useResponses]) {
  return {
    async [`an agent with a tool becomes a trace that equals what the model saw, by ${api}`]({
      world,
      model,
    }) {
      const client = world.client();
      model.says(LOOK_UP, ANSWER);

      const result = await client.trace(TASK, (run) =>
        runnerOf(model, useResponses).run(agentOf(), run.augmentedTask),
      );

      assert.equal(result.finalOutput, ANSWER);
      const trace = await world.onlyTrace(client);
      assert.equal(trace.finalResponse, ANSWER);
      assert.equal(trace.model, "loopback-1");
      assertSameAsModel(trace, model, ANSWER);
    },

    async [`a streamed agent becomes a trace that equals what the model saw, by ${api}`]({ world, model }) {
      const client = world.client();
      model.says(LOOK_UP, ANSWER);

      const text = await client.trace(TASK, (run) =>
        streamed(runnerOf(model, useResponses), agentOf(), run.augmentedTask),
      );

      assert.equal(text, ANSWER);
      assertSameAsModel(await world.onlyTrace(client), model, ANSWER);
    },

    async [`the error of a model is recorded, and reaches the caller unchanged, by ${api}`]({
      world,
      model,
    }) {
      for (const isStreamed of [false, true]) {
        const client = world.client();
        const runner = runnerOf(model, useResponses);
        model.says(LOOK_UP, new Trouble(400));
        const thrown = await client
          .trace(TASK, ({ augmentedTask }) =>
            isStreamed ? streamed(runner, agentOf(), augmentedTask) : runner.run(agentOf(), augmentedTask),
          )
          .catch((error) => error);

        assert.match(thrown.message, /out of order/);
        const trace = await world.onlyTrace(client);
        assert.deepEqual(
          trace.trajectory.map(({ role }) => role),
          ["system", "user", "assistant", "tool", "assistant"],
        );
        assert.match(JSON.stringify(trace.trajectory.at(-1).error), /out of order/);
        assert.equal(trace.review.result, "fail");
      }
    },

    async [`a stream is not delayed: each piece arrives before the next one is sent, by ${api}`]({
      world,
      model,
    }) {
      const client = world.client();
      const slow = new Slow(ANSWER);
      model.says(slow);
      let text = "";
      slow.tick();
      await client.trace(TASK, async () => {
        const result = await runnerOf(model, useResponses).run(agentOf(), TASK, { stream: true });
        // With a delayed piece, the model server would wait forever.
        for await (const piece of result.toTextStream()) {
          text += piece;
          slow.tick();
        }
        await result.completed;
      });
      assert.equal(text, ANSWER);
    },
  };
}

export const checks = {
  ...Object.assign({}, ...Object.entries(APIS).map(checksOf)),

  async "the lessons are in the prompt of every call, and the run is linked to them"({ world, model }) {
    const client = await world.taught();
    model.says(LOOK_UP, ANSWER);

    await client.trace(TASK, (run) => runnerOf(model).run(agentOf(), run.augmentedTask));

    assert.equal(model.requests.length, 2);
    assertTaught(model);
    const trace = (await world.traces(client)).find(({ trajectory }) => trajectory.length > 0);
    assert.equal(trace.linkedMemoryIds.length, 1);
    assertSameAsModel(trace, model, ANSWER);
  },

  async "a handoff is part of the trace"({ world, model }) {
    const client = world.client();
    const colleague = new Agent({
      name: "depot",
      instructions: "You know the depots.",
      tools: [findOrder],
    });
    model.says({ tool_calls: [call("transfer_to_depot", {})] }, LOOK_UP, ANSWER);

    await client.trace(TASK, (run) =>
      runnerOf(model).run(agentOf({ handoffs: [colleague] }), run.augmentedTask),
    );

    const trace = await world.onlyTrace(client);
    const calls = trace.trajectory.flatMap((message) => essence(message)[2].map(([, name]) => name));
    assert.deepEqual(calls, ["transfer_to_depot", "find_order"]);
    assert.equal(trace.trajectory.filter(({ role }) => role === "system").length, 2);
    assert.equal(trace.trajectory.filter(({ role }) => role === "tool").length, 2);
    assert.equal(trace.finalResponse, ANSWER);
  },

  async "the error of a tool is recorded, and the agent goes on"({ world, model }) {
    const client = world.client();
    const answers = { find_order: /^An error occurred/, find_parcel: /there is no order 0/ };
    for (const [name, said] of Object.entries(answers)) {
      model.says({ tool_calls: [call(name, { id: 0 })] }, "There is no such order.");
      const task = `Where is order 0, by ${name}?`;

      await client.trace(task, (run) => runnerOf(model).run(agentOf(), run.augmentedTask));

      const trace = (await world.traces(client)).find((stored) => stored.task === task);
      const results = trace.trajectory.filter(({ role }) => role === "tool");
      assert.equal(results.length, 1);
      assert.equal(results[0].status, "error");
      assert.match(results[0].content, said);
    }
  },

  async "concurrent runs do not mix"({ world, model }) {
    const client = world.client();
    const tasks = ["Find order 1.", "Find order 2.", "Find order 3."];
    model.says(...Array(6).fill(lookUpFirst));

    await Promise.all(
      tasks.map((task) => client.trace(task, (run) => runnerOf(model).run(agentOf(), run.augmentedTask))),
    );

    const traces = await world.traces(client);
    assert.deepEqual(traces.map(({ task }) => task).toSorted(), tasks);
    for (const { task, trajectory } of traces) {
      assert.equal(trajectory.length, 5);
      assert.equal(trajectory[1].content, task);
    }
  },

  async "outside a run, and while the processor is inactive, nothing is recorded"({ world, model }) {
    const client = world.client();
    model.says(ANSWER, ANSWER);
    await runnerOf(model).run(agentOf(), TASK);
    processor.active = false;
    try {
      await client.trace(TASK, async () => {
        await runnerOf(model).run(agentOf(), TASK);
      });
    } finally {
      processor.active = true;
    }
    assert.deepEqual(await world.traces(client), []);
  },

  async "without tracing, the result of a run is a trajectory"({ world, model }) {
    const client = world.client();
    model.says(LOOK_UP, ANSWER);
    const runner = runnerOf(model, true, { tracingDisabled: true });

    await client.trace(TASK, async (run) => {
      const result = await runner.run(agentOf(), run.augmentedTask);
      run.setOutput({ trajectory: messagesOf(result), finalResponse: result.finalOutput });
    });

    const trace = await world.onlyTrace(client);
    assert.deepEqual(trace.trajectory.map(essence), [
      ["user", TASK, [], ""],
      ["assistant", "", [["call_1", "find_order", { id: 1182 }]], ""],
      ["tool", "order 1182 is at the depot in Turku", [], "call_1"],
      ["assistant", ANSWER, [], ""],
    ]);
  },

  async "with the server down, an agent works unchanged"({ world, model }) {
    const client = world.disconnected();
    model.says(LOOK_UP, ANSWER, LOOK_UP, ANSWER);

    const result = await client.trace(TASK, (run) => runnerOf(model).run(agentOf(), run.augmentedTask));
    const text = await client.trace(TASK, (run) => streamed(runnerOf(model), agentOf(), run.augmentedTask));

    assert.equal(result.finalOutput, ANSWER);
    assert.equal(text, ANSWER);
  },

  async "the how-to page runs"({ world, model }) {
    model.says(LOOK_UP_AGAIN, ANSWER, LOOK_UP_AGAIN, ANSWER, LOOK_UP_AGAIN, ANSWER);
    await runPage("openai-agents-typescript.md", world.environment(model));
  },

  async "the example learns from its first run"({ world, model }) {
    model.says(LOOK_UP_AGAIN, "It is at the depot.", LOOK_UP_AGAIN, "It is in Vaasa.");
    const output = await runExample("openai-agents.ts", world.environment(model));
    assert.match(output, /^0 memories, .*\n1 memories, answer: It is in Vaasa\.\n$/);
  },
};
