/** LangGraph: an agent of `createAgent`, and a graph of its own, recorded through LangChain's callbacks. */

import assert from "node:assert/strict";

import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { install, ReflectCallbackHandler, uninstall } from "reflect-memory/langchain";
import { z } from "zod";

import { call, Slow, Trouble } from "./model-server.mjs";
import { runExample, runPage } from "./pages.mjs";
import { messagesOfRequest } from "./protocols.mjs";
import { assertSameAsModel, assertTaught, assertUsage, essence, TASK } from "./world.mjs";

export const title = "LangGraph.js";
export const packageName = "@langchain/langgraph";

const ANSWER = "It is at the depot in Turku.";
const LOOK_UP = { tool_calls: [call("find_order", { id: 1182 })] };
/** The same for the page and the example. */
const LOOK_UP_AGAIN = { tool_calls: [call("findOrder", { id: 1182 })] };
const INSTRUCTIONS = "You answer customers of a shop.";

const findOrder = tool(
  async ({ id }) => {
    if (id === 0) throw new Error("there is no order 0");
    return `order ${id} is at the depot in Turku`;
  },
  { name: "find_order", description: "Finds an order", schema: z.object({ id: z.number() }) },
);

function chatModel(model) {
  return new ChatOpenAI({
    model: "loopback-1",
    apiKey: "none",
    maxRetries: 0,
    configuration: { baseURL: model.url },
  });
}

function agentOf(model) {
  return createAgent({ model: chatModel(model), tools: [findOrder], systemPrompt: INSTRUCTIONS });
}

/** A graph without `createAgent`: a node that calls the model, and one that runs the tools. */
function graphOf(model, toolSettings = {}) {
  const tools = [findOrder];
  const chat = chatModel(model).bindTools(tools);
  return new StateGraph(MessagesAnnotation)
    .addNode("write", async ({ messages }) => ({ messages: [await chat.invoke(messages)] }))
    .addNode("tools", new ToolNode(tools, toolSettings))
    .addEdge(START, "write")
    .addConditionalEdges("write", ({ messages }) => (messages.at(-1).tool_calls?.length ? "tools" : END))
    .addEdge("tools", "write")
    .compile();
}

const asked = (content) => ({ messages: [{ role: "user", content }] });

/** A handler that is passed to the call, so that checks do not influence each other. */
const recorded = () => ({ callbacks: [new ReflectCallbackHandler()] });

/** What a model says that looks the order up and then answers, whichever run asks. */
const lookUpFirst = (request) =>
  messagesOfRequest(request).some(({ role }) => role === "tool") ? ANSWER : LOOK_UP;

export const checks = {
  async "an agent with a tool becomes a trace that equals what the model saw"({ world, model }) {
    const client = world.client();
    model.says(LOOK_UP, ANSWER);

    const state = await client.trace(TASK, (run) =>
      agentOf(model).invoke(asked(run.augmentedTask), recorded()),
    );

    assert.equal(state.messages.at(-1).content, ANSWER);
    const trace = await world.onlyTrace(client);
    assert.equal(trace.finalResponse, ANSWER);
    assert.equal(trace.model, "loopback-1");
    assertSameAsModel(trace, model, ANSWER);
  },

  async "a streamed agent becomes a trace that equals what the model saw"({ world, model }) {
    for (const streamMode of ["messages", "updates"]) {
      const client = world.client();
      model.says(LOOK_UP, ANSWER);
      await client.trace(TASK, async (run) => {
        const stream = await agentOf(model).stream(asked(run.augmentedTask), {
          ...recorded(),
          streamMode,
        });
        for await (const _ of stream);
      });
      assertSameAsModel(await world.onlyTrace(client), model, ANSWER);
    }
  },

  async "a graph of its own becomes a trace that equals what the model saw"({ world, model }) {
    const client = world.client();
    model.says(LOOK_UP, ANSWER);
    await client.trace(TASK, (run) => graphOf(model).invoke(asked(run.augmentedTask), recorded()));
    assertSameAsModel(await world.onlyTrace(client), model, ANSWER);
  },

  async "the lessons are in the prompt of every call, and the run is linked to them"({ world, model }) {
    const client = await world.taught();
    model.says(LOOK_UP, ANSWER);

    await client.trace(TASK, (run) => agentOf(model).invoke(asked(run.augmentedTask), recorded()));

    assert.equal(model.requests.length, 2);
    assertTaught(model);
    const trace = (await world.traces(client)).find(({ trajectory }) => trajectory.length > 0);
    assert.equal(trace.linkedMemoryIds.length, 1);
    assertSameAsModel(trace, model, ANSWER);
  },

  async "the installed handler records every graph, and joins a handler that is passed"({ world, model }) {
    const client = world.client();
    install();
    try {
      model.says(LOOK_UP, ANSWER, LOOK_UP, ANSWER);
      await client.trace(TASK, (run) => agentOf(model).invoke(asked(run.augmentedTask)));
      await client.trace(TASK, (run) => graphOf(model).invoke(asked(run.augmentedTask), recorded()));
    } finally {
      uninstall();
    }
    model.says(ANSWER);
    await client.trace("unrecorded", () => agentOf(model).invoke(asked(TASK)));

    const traces = await world.traces(client);
    assert.deepEqual(traces.map(({ trajectory }) => trajectory.length).toSorted(), [4, 5]);
    for (const trace of traces) assertUsage(trace);
  },

  async "the error of a tool is recorded, and the graph goes on"({ world, model }) {
    const client = world.client();
    model.says({ tool_calls: [call("find_order", { id: 0 })] }, "There is no such order.");

    await client.trace(TASK, (run) => graphOf(model).invoke(asked(run.augmentedTask), recorded()));

    const result = (await world.onlyTrace(client)).trajectory.filter(({ role }) => role === "tool");
    assert.equal(result.length, 1);
    assert.equal(result[0].status, "error");
    assert.equal(result[0].name, "find_order");
    assert.match(result[0].content, /there is no order 0/);
  },

  async "the error of a tool that ends the graph is recorded, and reaches the caller unchanged"({
    world,
    model,
  }) {
    const client = world.client();
    model.says({ tool_calls: [call("find_order", { id: 0 })] });
    const graph = graphOf(model, { handleToolErrors: false });

    const thrown = await client
      .trace(TASK, (run) => graph.invoke(asked(run.augmentedTask), recorded()))
      .catch((error) => error);

    assert.match(thrown.message, /there is no order 0/);
    const trace = await world.onlyTrace(client);
    assert.equal(trace.trajectory.at(-1).role, "tool");
    assert.match(trace.trajectory.at(-1).content, /there is no order 0/);
    assert.equal(trace.review.result, "fail");
  },

  async "the error of a model is recorded, and reaches the caller unchanged"({ world, model }) {
    for (const streamed of [false, true]) {
      const client = world.client();
      model.says(LOOK_UP, new Trouble(400));
      const thrown = await client
        .trace(TASK, async (run) => {
          const agent = agentOf(model);
          if (!streamed) return agent.invoke(asked(run.augmentedTask), recorded());
          for await (const _ of await agent.stream(asked(run.augmentedTask), {
            ...recorded(),
            streamMode: "messages",
          }));
        })
        .catch((error) => error);

      assert.match(thrown.message, /out of order/);
      const trace = await world.onlyTrace(client);
      assert.deepEqual(
        trace.trajectory.map(({ role }) => role),
        ["system", "user", "assistant", "tool", "assistant"],
      );
      assert.match(trace.trajectory.at(-1).error.message, /out of order/);
      assert.equal(trace.review.result, "fail");
    }
  },

  async "a stream is not delayed: each piece arrives before the next one is sent"({ world, model }) {
    const client = world.client();
    const slow = new Slow(ANSWER);
    model.says(slow);
    let text = "";
    slow.tick();
    await client.trace(TASK, async () => {
      // With a delayed piece, the model server would wait forever.
      for await (const chunk of await chatModel(model).stream(TASK, recorded())) {
        text += chunk.content;
        if (chunk.content !== "") slow.tick();
      }
    });
    assert.equal(text, ANSWER);
    assertUsage(await world.onlyTrace(client));
  },

  async "concurrent runs do not mix"({ world, model }) {
    const client = world.client();
    const tasks = ["Find order 1.", "Find order 2.", "Find order 3."];
    model.says(...Array(6).fill(lookUpFirst));
    const agent = agentOf(model);

    await Promise.all(
      tasks.map((task) => client.trace(task, (run) => agent.invoke(asked(run.augmentedTask), recorded()))),
    );

    const traces = await world.traces(client);
    assert.deepEqual(traces.map(({ task }) => task).toSorted(), tasks);
    for (const { task, trajectory } of traces) {
      assert.equal(trajectory.length, 5);
      assert.equal(trajectory[1].content, task);
    }
  },

  async "a handler with a run needs no current run"({ world, model }) {
    const client = world.client();
    model.says(LOOK_UP, ANSWER);
    const run = await client.startTrace(TASK);

    await agentOf(model).invoke(asked(run.augmentedTask), {
      callbacks: [new ReflectCallbackHandler({ run })],
    });
    await run.end();

    const trace = await world.onlyTrace(client);
    assertSameAsModel(trace, model, ANSWER);
    assert.deepEqual(essence(trace.trajectory[0]), ["system", INSTRUCTIONS, [], ""]);
  },

  async "with the server down, an agent works unchanged"({ world, model }) {
    const client = world.disconnected();
    model.says(LOOK_UP, ANSWER, LOOK_UP, ANSWER);

    const state = await client.trace(TASK, (run) =>
      agentOf(model).invoke(asked(run.augmentedTask), recorded()),
    );
    let streamed = "";
    await client.trace(TASK, async (run) => {
      const stream = await agentOf(model).stream(asked(run.augmentedTask), {
        ...recorded(),
        streamMode: "messages",
      });
      for await (const [chunk] of stream) if (chunk.type === "ai") streamed += chunk.content;
    });

    assert.equal(state.messages.at(-1).content, ANSWER);
    assert.equal(streamed, ANSWER);
  },

  async "the how-to page runs"({ world, model }) {
    model.says(LOOK_UP_AGAIN, ANSWER, LOOK_UP_AGAIN, ANSWER);
    await runPage("langgraph-js.md", world.environment(model));
  },

  async "the example learns from its first run"({ world, model }) {
    model.says(LOOK_UP_AGAIN, "It is at the depot.", LOOK_UP_AGAIN, "It is in Vaasa.");
    const output = await runExample("langgraph.ts", world.environment(model));
    assert.match(output, /^0 memories, .*\n1 memories, answer: It is in Vaasa\.\n$/);
  },
};
