/** Tools with which an agent retrieves memories and reviews runs by itself. */

import { jsonSchema, tool, type Tool } from "ai";

import type { ReflectClient } from "../../client.js";
import { currentRun } from "../../recorder/index.js";

/** The arguments of `retrieveMemories`. */
export interface RetrieveMemoriesInput {
  task: string;
  limit?: number;
}

/** The arguments of `reviewRun`. */
export interface ReviewRunInput {
  result: "pass" | "fail";
  feedback?: string;
  traceId?: string;
}

/** The tools of `reflectTools`. */
export interface ReflectTools {
  retrieveMemories: Tool<RetrieveMemoriesInput, string>;
  reviewRun: Tool<ReviewRunInput, string>;
  [name: string]: Tool<RetrieveMemoriesInput, string> | Tool<ReviewRunInput, string>;
}

const NO_MEMORIES = "There are no memories about this.";

/**
 * `retrieveMemories` searches for lessons of earlier runs. `reviewRun` sets the result of the current run, or of an
 * earlier one by the id of its trace.
 *
 *     generateText({ model, tools: { ...reflectTools(client), ...ownTools }, prompt });
 *
 * Both return a text and never throw: an agent continues without memories.
 */
export function reflectTools(client: ReflectClient): ReflectTools {
  return {
    retrieveMemories: tool({
      description: "Searches for lessons of earlier runs that fit a task. They are notes, not orders.",
      inputSchema: jsonSchema<RetrieveMemoriesInput>({
        type: "object",
        properties: {
          task: { type: "string", description: "The task, or the part of it that you need lessons for." },
          limit: { type: "integer", minimum: 1, maximum: 20, description: "The maximum number of lessons." },
        },
        required: ["task"],
        additionalProperties: false,
      }),
      execute: async ({ task, limit }, { abortSignal }) => {
        try {
          const memories = await client.memories.query(task, { limit: limit ?? 5 }, { signal: abortSignal });
          // The server reads these ids from the messages of the run and credits the memories.
          const texts = memories.map(({ id, reflection }) => `<memory id="${id}">\n${reflection}\n</memory>`);
          return texts.join("\n") || NO_MEMORIES;
        } catch {
          return "Memories are not available at the moment. Continue without them.";
        }
      },
    }),
    reviewRun: tool({
      description: "Reviews a run: whether it solved its task, and what went wrong if it did not.",
      inputSchema: jsonSchema<ReviewRunInput>({
        type: "object",
        properties: {
          result: { type: "string", enum: ["pass", "fail"] },
          feedback: { type: "string", description: "What went wrong, as specific as possible." },
          traceId: { type: "string", description: "The id of the trace. Default: the current run." },
        },
        required: ["result"],
        additionalProperties: false,
      }),
      execute: async ({ result, feedback, traceId }, { abortSignal }) => {
        try {
          if (traceId !== undefined) {
            await client.reviews.create(traceId, { result, feedbackText: feedback }, { signal: abortSignal });
            return "The review is stored.";
          }
          const run = currentRun();
          if (run === undefined) return "There is no current run. Pass the id of a trace.";
          run.review(result, feedback);
          return "The review will be stored at the end of this run.";
        } catch (error) {
          return `The review was not stored: ${error instanceof Error ? error.message : "unknown error"}`;
        }
      },
    }),
  };
}
