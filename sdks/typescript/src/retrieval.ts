/** Retrieval of memories for a prompt. An unavailable server does not stop a run. */

import { APIConnectionError, APIStatusError, MaskError } from "./errors.js";
import type { AugmentedTask } from "./generated/bodies.js";
import type { Settings } from "./settings.js";
import type { Augmented, AugmentOptions, CallOptions } from "./types.js";
import type { Api } from "./wire/api.js";
import { maskedText } from "./wire/mask.js";
import { isTemporary } from "./wire/retry.js";

// After a failure, retrieval is skipped for this long. Otherwise every run of a busy agent would wait for the same
// timeout.
const COOLDOWN = 10_000;

/** Builds prompts. One per client. */
export class Retriever {
  readonly #api: Api;
  readonly #settings: Settings;
  #downUntil = 0;

  constructor(api: Api, settings: Settings) {
    this.#api = api;
    this.#settings = settings;
  }

  /**
   * The task with its memories, or only the task with the reason in `degraded`. With `refusals`, errors that a retry
   * does not fix are thrown: an invalid key, or a response that is not from a Reflect server.
   */
  async augment(
    call: string,
    task: string,
    given: AugmentOptions,
    options: CallOptions,
    refusals: boolean,
  ): Promise<Augmented> {
    if (this.#downUntil > Date.now()) return withoutMemories(task, "the server did not answer before");
    try {
      const found = await this.#ask(call, task, given, options);
      this.#downUntil = 0;
      return found;
    } catch (error) {
      const isDown = error instanceof APIConnectionError;
      const passes =
        isDown ||
        error instanceof MaskError ||
        (error instanceof APIStatusError && isTemporary(error.status));
      if (refusals && !passes) throw error;
      if (isDown) this.#downUntil = Date.now() + COOLDOWN;
      const { name, message } = error as Error;
      if (!options.signal?.aborted)
        this.#settings.warn(`${message} The run continues without memories.`, name);
      return withoutMemories(task, message);
    }
  }

  async #ask(name: string, task: string, given: AugmentOptions, options: CallOptions): Promise<Augmented> {
    const { retrievalTimeout, maxRetries, mask, given: client } = this.#settings;
    const sent = maskedText(mask, task);
    const call = {
      name,
      method: "POST",
      path: ["memory", "augment"],
      body: { ...queryOf(given), task: sent, maxTokens: given.maxTokens ?? client.memoryTokens },
      maxRetries: Math.min(1, maxRetries),
      options: { timeout: retrievalTimeout, ...options },
    };
    const answer = await this.#api.answer(call);
    const {
      augmentedTask,
      memoryBlock = "",
      memories = [],
      retrievalId,
      degraded,
    } = this.#api.read<AugmentedTask>("augmented_task", call, answer);
    return {
      task,
      // With a mask, the server gets only the masked task. The prompt starts with the original task.
      augmentedTask: augmentedTask.startsWith(sent) ? task + augmentedTask.slice(sent.length) : augmentedTask,
      memoryBlock,
      memories,
      memoryIds: memories.map(({ id }) => id),
      retrievalId,
      degraded: degraded
        ? (answer.headers.get("x-reflect-degraded") ?? "searched by keywords only")
        : undefined,
    };
  }
}

/** The part of the options that the server gets. */
export function queryOf(given: AugmentOptions): AugmentOptions {
  const {
    limit = 10,
    lambda,
    similarityThreshold,
    metadataFilter,
    metadataExclude,
    mmrLambda,
    ranking,
  } = given;
  return { limit, lambda, similarityThreshold, metadataFilter, metadataExclude, mmrLambda, ranking };
}

/** Only the task. */
export function withoutMemories(task: string, reason?: string): Augmented {
  return {
    task,
    augmentedTask: task,
    memoryBlock: "",
    memories: [],
    memoryIds: [],
    retrievalId: undefined,
    degraded: reason && `no memories: ${reason}`,
  };
}
