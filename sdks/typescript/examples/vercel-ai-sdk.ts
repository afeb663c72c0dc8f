/**
 * A support agent of the AI SDK that learns from a review: the lesson of the first run is in the prompt of the second.
 *
 *     npm install reflect-memory ai @ai-sdk/openai zod
 *     export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project OPENAI_API_KEY=sk-...
 *     node vercel-ai-sdk.ts gpt-5.4-mini
 *
 * Set OPENAI_BASE_URL to use another server with OpenAI's protocol.
 */

import { createOpenAI } from "@ai-sdk/openai";
import { isStepCount, registerTelemetry, tool, ToolLoopAgent, wrapLanguageModel } from "ai";
import { ReflectClient } from "reflect-memory";
import { reflectMiddleware, reflectTelemetry } from "reflect-memory/ai";
import { z } from "zod";

const client = new ReflectClient();
const stored: string[] = [];
registerTelemetry(reflectTelemetry(client, { onTrace: (id) => stored.push(id) }));

const agent = new ToolLoopAgent({
  model: wrapLanguageModel({
    model: createOpenAI().chat(process.argv[2] ?? "gpt-5.4-mini"),
    middleware: reflectMiddleware(client),
  }),
  instructions: "You answer customers of a shop.",
  tools: {
    findOrder: tool({
      description: "Finds an order",
      inputSchema: z.object({ id: z.number() }),
      execute: async ({ id }) => `order ${id} is at the depot in ${id % 2 === 0 ? "Turku" : "Vaasa"}`,
    }),
  },
  stopWhen: isStepCount(5),
});

/** Answers a customer as a stream, and returns the answer and the id of its trace. */
async function answer(prompt: string): Promise<[text: string, traceId: string]> {
  const { textStream } = await agent.stream({ prompt });
  let text = "";
  for await (const piece of textStream) text += piece;
  const traceId = stored.at(-1);
  if (traceId === undefined) throw new Error("the run was not stored");
  return [text, traceId];
}

const [first, firstId] = await answer("Where is order 1182?");
console.log(`first answer: ${first}`);
// The review returns when it has become a memory.
await client.reviews.create(firstId, {
  result: "fail",
  feedbackText: "Also say when the order will arrive.",
});

const [second, secondId] = await answer("Where is order 1191?");
console.log(`second answer: ${second}`);
const { retrievedMemoryIds } = await client.traces.get(secondId);
console.log(`memories in the prompt of the second run: ${retrievedMemoryIds.length}`);
await client.shutdown();
