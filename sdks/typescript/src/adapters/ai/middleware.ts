/** Gives memories to a model, through the language model middleware of the AI SDK. */

import type { LanguageModelMiddleware } from "ai";

import type { ReflectClient } from "../../client.js";
import { currentRun, guarded } from "../../recorder/index.js";
import { promptWith, type ModelParams } from "./lessons.js";
import { taskOf } from "./messages.js";
import { currentOperation } from "./operation.js";

/**
 * Adds the memories for the task to the prompt, below the last message of the user.
 *
 *     const model = wrapLanguageModel({ model: openai("gpt-5.4-mini"), middleware: reflectMiddleware(client) });
 *
 * All steps of a run get the same memories: those of `client.trace`, or those that are retrieved for the last message of
 * the user when `reflectTelemetry` records the call. Without either, memories are retrieved for every model call, and
 * no run is credited for them. A model call continues without memories if the server does not answer in time.
 */
export function reflectMiddleware(client: ReflectClient): LanguageModelMiddleware {
  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => {
      const changed = guarded("adding memories to a prompt", async () => {
        const block = await memoryBlock(client, params);
        return { ...params, prompt: promptWith(params.prompt, block) };
      });
      return (await changed) ?? params;
    },
    wrapStream: async ({ doStream }) => {
      const operation = currentOperation();
      const result = await doStream();
      if (operation === undefined) return result;
      // Each part is passed on at once. What has been read of a stream that is cancelled is part of the trace.
      const observed = new TransformStream<StreamPart, StreamPart>({
        transform(part, controller) {
          controller.enqueue(part);
          if (part.type === "text-delta") operation.streamed(part.delta);
        },
      });
      return { ...result, stream: result.stream.pipeThrough(observed) };
    },
  };
}

type WrapStream = NonNullable<LanguageModelMiddleware["wrapStream"]>;
type StreamPart = Awaited<ReturnType<WrapStream>>["stream"] extends ReadableStream<infer Part> ? Part : never;

async function memoryBlock(client: ReflectClient, params: ModelParams): Promise<string> {
  const operation = currentOperation();
  if (operation !== undefined) return await operation.memoryBlock();
  const run = currentRun();
  if (run !== undefined) return run.memoryBlock;
  const task = taskOf({ messages: params.prompt });
  if (task === undefined) return "";
  return (await client.memories.augment(task)).memoryBlock;
}
