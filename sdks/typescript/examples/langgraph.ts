/**
 * A LangGraph agent that learns from a review: the lesson of the first run is in the prompt of the second.
 *
 *     npm install reflect-memory langchain @langchain/langgraph @langchain/core @langchain/openai zod
 *     export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project OPENAI_API_KEY=sk-...
 *     node langgraph.ts gpt-5.4-mini
 *
 * Set OPENAI_BASE_URL to use another server with OpenAI's protocol.
 */

import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { ReflectClient } from "reflect-memory";
import { install } from "reflect-memory/langchain";
import { z } from "zod";

const findOrder = tool(
  async ({ id }) => `order ${id} is at the depot in ${id % 2 === 0 ? "Turku" : "Vaasa"}`,
  {
    name: "findOrder",
    description: "Finds an order",
    schema: z.object({ id: z.number() }),
  },
);
const agent = createAgent({
  model: new ChatOpenAI({ model: process.argv[2] ?? "gpt-5.4-mini" }),
  tools: [findOrder],
  systemPrompt: "You answer customers of a shop.",
});

install();
const client = new ReflectClient();

/** Answers a customer. The run is reviewed at its end: the answer must contain the town. */
async function answer(task: string, town: string): Promise<string> {
  return await client.trace(task, async (run) => {
    const state = await agent.invoke({ messages: [{ role: "user", content: run.augmentedTask }] });
    const text = String(state.messages.at(-1)?.content);
    if (text.includes(town)) run.review("pass");
    else run.review("fail", "Name the town of the depot.");
    console.log(`${run.memories.length} memories, answer: ${text}`);
    return run.traceId;
  });
}

const first = await answer("Where is order 1182?", "Turku");
// The review of the first run becomes a memory.
await client.traces.wait(first, { requireReviewed: true });
await answer("Where is order 1191?", "Vaasa");
await client.shutdown();
