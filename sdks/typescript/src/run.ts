/** A run of an agent: what it was given, what it did, and how it ended. */

import { checkResult, requireResultFor, requireText, requireTrajectory } from "./arguments.js";
import { within } from "./current.js";
import { bodyOfRun } from "./ending.js";
import { RunEndedError } from "./errors.js";
import type { Memory } from "./generated/bodies.js";
import { newTraceId } from "./ids.js";
import type { Augmented, Message, NewReview, Result, RunOutput, TraceOptions, WaitUntil } from "./types.js";
import type { TraceBody } from "./wire/trace-body.js";

/** What a run needs from its client. */
export interface RunHost {
  readonly outgoing: {
    submit(body: TraceBody, waitUntil: WaitUntil | undefined): Promise<void>;
    countEmpty(run: Run): void;
    warn(message: string, kind: string): void;
  };
  /** Waits until the trace is processed. */
  wait(body: TraceBody): Promise<void>;
}

/** The review of a run, before it is stored. */
export interface Verdict extends NewReview {
  result: "pass" | "fail";
}

/**
 * A run. `client.trace` and `client.startTrace` create it.
 *
 * `step`, `tool` and `record` never throw. `setOutput` and `review` throw if their arguments are wrong or the run has
 * ended, because a result would be lost.
 */
export class Run implements Augmented {
  declare readonly task: string;
  declare readonly augmentedTask: string;
  declare readonly memoryBlock: string;
  declare readonly memories: readonly Memory[];
  declare readonly memoryIds: readonly string[];
  declare readonly retrievalId: string | undefined;
  declare readonly degraded: string | undefined;
  /** The id of the trace. It is stored under this id when the run has ended. */
  readonly traceId: string = newTraceId();
  /** @internal */
  declare readonly options: TraceOptions;
  /** @internal */
  declare readonly parentId: string | undefined;
  /** @internal */
  declare output: Omit<RunOutput, keyof NewReview> | undefined;
  /** @internal */
  declare verdict: Verdict | undefined;
  /** @internal */
  declare error: { thrown: unknown } | undefined;
  readonly #host: RunHost;
  readonly #recorded: Message[] = [];
  #ending: Promise<void> | undefined;

  /** @internal */
  constructor(host: RunHost, augmented: Augmented, options: TraceOptions, parent: Run | undefined) {
    Object.assign(this, augmented);
    this.options = options;
    this.parentId = parent?.traceId;
    this.#host = host;
  }

  /** The messages that were recorded so far. They are the default trajectory. */
  get messages(): readonly Message[] {
    return [...this.#recorded];
  }

  /** Whether the run has ended. */
  get ended(): boolean {
    return this.#ending !== undefined;
  }

  /** Sets the output of the run. A later call replaces it, but a result stays until another one, or `defer`, replaces it. */
  setOutput({ result, feedbackText, alpha, ...output }: RunOutput): void {
    this.#requireOpen("setOutput");
    const { task, trajectory } = output;
    if (trajectory !== undefined) requireTrajectory("setOutput", trajectory);
    if (task !== undefined) requireText("setOutput", "task", task);
    requireResultFor("setOutput", result ?? this.verdict?.result, feedbackText);
    if (result !== undefined) this.verdict = { result: checkResult(result), feedbackText, alpha };
    else if (this.verdict) this.verdict.feedbackText = feedbackText ?? this.verdict.feedbackText;
    this.output = output;
  }

  /** Sets the result of the run, before or after `setOutput`. */
  review(result: Result, feedbackText?: string, options: { alpha?: number } = {}): void {
    this.#requireOpen("review");
    const before = this.verdict;
    const verdict: Verdict = { result: checkResult(result), feedbackText, ...options };
    // The same result again does not discard the feedback that came with it.
    if (before?.result === verdict.result) verdict.feedbackText ??= before.feedbackText;
    this.verdict = verdict;
  }

  /** Defers the review and discards a result that was set before. */
  defer(): void {
    this.#requireOpen("defer");
    this.verdict = undefined;
    this.output ??= {};
  }

  /** Records one message, such as `run.step("assistant", "Looking it up.")`. */
  step(role: string, content: unknown, fields: Record<string, unknown> = {}): void {
    this.record([{ role, content, ...fields }]);
  }

  /** Records a tool call and its result. */
  tool(name: string, args: unknown, result: unknown): void {
    this.record([
      {
        role: "assistant",
        content: "",
        tool_calls: [{ name, arguments: args }] as unknown as Message["tool_calls"],
      },
      { role: "tool", name, content: result },
    ]);
  }

  /**
   * Records a step of the run: the state that the agent was in, and what it did. If the run passes, each marked step
   * becomes a memory of its own. `retrievalId` is the receipt of the memories that were retrieved for this state.
   */
  markStep(task: string, action: string, retrievalId?: string): void {
    const mark = { task: requireText("markStep", "task", task), action, retrieval_id: retrievalId };
    this.record([{ role: "assistant", content: action, reflect_step: mark }]);
  }

  /** Records messages as they are. Adapters use it. */
  record(messages: readonly Message[]): void {
    if (this.ended) {
      // Not an error: a tool may still be running when the run ends.
      this.#host.outgoing.warn(
        "A message was recorded after its run had ended, so it is not stored.",
        "late",
      );
      return;
    }
    this.#recorded.push(...messages);
  }

  /** The run failed with this error. `client.trace` does it by itself; a block with `await using` cannot. */
  fail(error: unknown): void {
    this.error = { thrown: error };
  }

  /** Runs a function with this run as `currentRun()`, so that adapters record in it. */
  within<T>(body: () => T): T {
    return within(this, body);
  }

  /**
   * Ends the run and queues its trace. Later calls have no effect.
   *
   * It rejects only if the run is `blocking` and learning from its review failed.
   */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  async #end(): Promise<void> {
    const { outgoing, wait } = this.#host;
    const body = bodyOfRun(this, this.#recorded, (message) => outgoing.warn(message, this.traceId));
    if (body === undefined) {
      outgoing.countEmpty(this);
      return;
    }
    await outgoing.submit(body, this.options.waitUntil);
    if (this.options.blocking && !this.error) await wait(body);
  }

  #requireOpen(call: string): void {
    if (!this.ended) return;
    throw new RunEndedError(`${call}: the run has ended, so this would be lost.`, {
      hint: `Call client.reviews.create("${this.traceId}", ...).`,
    });
  }
}
