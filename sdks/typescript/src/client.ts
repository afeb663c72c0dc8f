/** The client. */

import { requireText } from "./arguments.js";
import { actionCalls, lessonCalls, type ActionCalls, type LessonCalls } from "./calls/lessons.js";
import { memoryCalls, type MemoryCalls } from "./calls/memories.js";
import {
  keyCalls,
  projectCalls,
  retrievalCalls,
  skillCalls,
  type KeyCalls,
  type ProjectCalls,
  type RetrievalCalls,
  type SkillCalls,
} from "./calls/projects.js";
import { judgeCalls, queueCalls, type JudgeCalls, type QueueCalls } from "./calls/queue.js";
import { reviewCalls, type ReviewCalls } from "./calls/reviews.js";
import { contexts, type CallContext } from "./calls/routes.js";
import { traceCalls, type TraceCalls } from "./calls/traces.js";
import { currentRun, within } from "./current.js";
import { Outgoing } from "./delivery/outgoing.js";
import { IngestFailedError } from "./errors.js";
import type { Health } from "./generated/bodies.js";
import { Retriever, withoutMemories } from "./retrieval.js";
import { Run } from "./run.js";
import { resolveSettings, type Settings } from "./settings.js";
import type { CallOptions, ClientOptions, DeliveryCounters, FlushResult, TraceOptions } from "./types.js";
import { Api } from "./wire/api.js";
import type { TraceBody } from "./wire/trace-body.js";

/** How long a read waits until this client's own runs are sent. */
const FLUSH_TIMEOUT = 10_000;

/**
 * Talks to one project of a Reflect server. Creating a client sends nothing.
 *
 *     const client = new ReflectClient();
 *     await client.trace("Refund order 1182", async (run) => {
 *       const answer = await myAgent(run.augmentedTask);
 *       run.setOutput({ trajectory: [{ role: "assistant", content: answer }], result: "pass" });
 *     });
 */
export class ReflectClient {
  declare readonly traces: TraceCalls;
  declare readonly reviews: ReviewCalls;
  declare readonly memories: MemoryCalls;
  declare readonly lessons: LessonCalls;
  declare readonly actions: ActionCalls;
  declare readonly queue: QueueCalls;
  declare readonly judge: JudgeCalls;
  declare readonly retrievals: RetrievalCalls;
  declare readonly skills: SkillCalls;
  declare readonly project: ProjectCalls;
  declare readonly keys: KeyCalls;
  readonly #settings: Settings;
  readonly #api: Api;
  readonly #retriever: Retriever;
  readonly #outgoing: Outgoing;

  /** Throws `ConfigurationError` if the key is missing or the URL is invalid. */
  constructor(options: ClientOptions = {}) {
    this.#settings = resolveSettings(options);
    this.#api = new Api(this.#settings);
    this.#retriever = new Retriever(this.#api, this.#settings);
    this.#outgoing = new Outgoing(this.#settings);
    const context: CallContext = {
      api: this.#api,
      settings: this.#settings,
      flushed: (traceId) => this.#flushed(traceId),
    };
    contexts.set(this, context);
    this.traces = traceCalls(context, this.#outgoing);
    this.reviews = reviewCalls(context);
    this.memories = memoryCalls(context, this.#retriever);
    this.lessons = lessonCalls(context);
    this.actions = actionCalls(context);
    this.queue = queueCalls(context);
    this.judge = judgeCalls(context);
    this.retrievals = retrievalCalls(context);
    this.skills = skillCalls(context);
    this.project = projectCalls(context);
    this.keys = keyCalls(context);
  }

  /** The server's URL. */
  get baseUrl(): string {
    return this.#settings.baseUrl;
  }

  /** The project that all calls use. */
  get projectId(): string {
    return this.#settings.projectId;
  }

  /**
   * A run: retrieves memories, calls `body`, and stores the trace. Resolves with what `body` returns, and rejects with
   * what it throws.
   *
   * The server cannot make it fail, and not slow either: memories that do not arrive in time are missing
   * (`run.degraded`), and the trace is sent in the background. If `body` records and sets nothing and returns a text,
   * the text is stored as the agent's answer. `currentRun()` is the run inside of `body`.
   */
  async trace<T>(task: string, body: (run: Run) => T | Promise<T>, options: TraceOptions = {}): Promise<T> {
    const run = await this.startTrace(task, options);
    try {
      const result = await within(run, () => body(run));
      if (typeof result === "string" && result && !run.output && run.messages.length === 0) {
        run.setOutput({ trajectory: [{ role: "assistant", content: result }] });
      }
      return result;
    } catch (error) {
      run.fail(error);
      throw error;
    } finally {
      await run.end();
    }
  }

  /**
   * Starts a run and retrieves its memories. End it with `await run.end()`, or by `await using`:
   *
   *     await using run = await client.startTrace("Refund order 1182");
   *
   * Rejects only if the task is empty.
   */
  async startTrace(task: string, options: TraceOptions = {}): Promise<Run> {
    requireText("startTrace", "task", task);
    const parent = currentRun();
    const found =
      options.retrieve === false
        ? withoutMemories(task)
        : await this.#retriever.augment("trace", task, options, { signal: options.signal }, false);
    const host = { outgoing: this.#outgoing, wait: (body: TraceBody) => this.#processed(body, options) };
    return new Run(host, found, options, parent);
  }

  /** The server's health; needs no key. */
  async health(options: CallOptions = {}): Promise<Health> {
    const call = { name: "health", options };
    const answer = await this.#api.exchange({ method: "GET", path: "/health" }, call);
    return this.#api.read("status", call, answer);
  }

  /** What became of the runs of this client. */
  get delivery(): DeliveryCounters {
    return this.#outgoing.outbox.counters;
  }

  /** Sends all runs now, and waits at most `timeout` milliseconds. Never rejects. */
  flush(timeout = FLUSH_TIMEOUT): Promise<FlushResult> {
    return this.#outgoing.outbox.flush(timeout);
  }

  /**
   * Sends the queued runs, and leaves the rest in the spool. Does not wait for a server that does not answer. The
   * client can still be used afterwards.
   */
  shutdown(timeout = FLUSH_TIMEOUT): Promise<FlushResult> {
    return this.#outgoing.outbox.close(timeout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  async #flushed(traceId?: string): Promise<void> {
    const { outbox } = this.#outgoing;
    if (outbox.hasOwn(traceId)) await outbox.push(Math.min(FLUSH_TIMEOUT, this.#settings.timeout));
  }

  /** Waits until a trace is processed. Only a failure of learning is thrown. */
  async #processed({ traceId, review }: TraceBody, { waitTimeout, signal }: TraceOptions): Promise<void> {
    try {
      await this.traces.wait(traceId, { requireReviewed: review !== undefined, waitTimeout, signal });
    } catch (error) {
      if (error instanceof IngestFailedError) throw error;
      this.#settings.warn(`${String(error)} The run ends without waiting for its memory.`, "blocking");
    }
  }
}
