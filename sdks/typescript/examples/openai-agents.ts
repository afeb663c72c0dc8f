/**
 * An agent of OpenAI Agents that learns from a review: the lesson of the first run is in the prompt of the second.
 *
 *     npm install reflect-memory @openai/agents zod
 *     export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project OPENAI_API_KEY=sk-...
 *     node openai-agents.ts gpt-5.4-mini
 *
 * Set OPENAI_BASE_URL to use another server with OpenAI's protocol.
 */

import { Agent, run, tool } from "@openai/agents";
import { ReflectClient } from "reflect-memory";
import { install } from "reflect-memory/openai-agents";
import { z } from "zod";

const findOrder = tool({
  name: "findOrder",
  description: "Finds an order",
  parameters: z.object({ id: z.number() }),
  execute: async ({ id }) => `order ${id} is at the depot in ${id % 2 === 0 ? "Turku" : "Vaasa"}`,
});
const agent = new Agent({
  name: "support",
  instructions: "You answer customers of a shop.",
  model: process.argv[2] ?? "gpt-5.4-mini",
  tools: [findOrder],
});

install();
const client = new ReflectClient();

/** Answers a customer. The run is reviewed at its end: the answer must contain the town. */
async function answer(task: string, town: string): Promise<string> {
  return await client.trace(task, async (traced) => {
    const result = await run(agent, traced.augmentedTask);
    const text = String(result.finalOutput);
    if (text.includes(town)) traced.review("pass");
    else traced.review("fail", "Name the town of the depot.");
    console.log(`${traced.memories.length} memories, answer: ${text}`);
    return traced.traceId;
  });
}

const first = await answer("Where is order 1182?", "Turku");
// The review of the first run becomes a memory.
await client.traces.wait(first, { requireReviewed: true });
await answer("Where is order 1191?", "Vaasa");
await client.shutdown();
