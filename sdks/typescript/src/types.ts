/** The public types that exist only in the client. Types of request and response bodies are generated. */

import type { Memory, Ranking } from "./generated/bodies.js";

/**
 * One message of a run, in the form of chat messages. Keys are not converted: they are stored as they are.
 *
 * An assistant message may have `tool_calls`; a tool message has `tool_call_id` and `name`, and `status: "error"` if
 * the tool failed. `usage` has the tokens of a model call, `model` the name of its model, `error` why it failed.
 */
export interface Message {
  role: string;
  content?: unknown;
  name?: string | undefined;
  tool_calls?: ToolCall[] | undefined;
  tool_call_id?: string | undefined;
  status?: string | undefined;
  model?: string | undefined;
  usage?: Record<string, unknown> | undefined;
  error?: unknown;
  [field: string]: unknown;
}

/** One tool call of an assistant message. `arguments` is JSON text. */
export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  [field: string]: unknown;
}

/** The messages of a run, or text. */
export type Trajectory = readonly Readonly<Record<string, unknown>>[] | string;

/** The result of a review. `success` and `failure` are accepted names of `pass` and `fail`. */
export type Result = "pass" | "fail" | "success" | "failure";

/** A function that is applied to every text of a run before the text leaves the process. */
export type Mask = (text: string) => string;

/** Receives a promise that the platform must keep alive after the response, such as `ctx.waitUntil` of a worker. */
export type WaitUntil = (promise: Promise<unknown>) => void;

/** Where the client writes its warnings. */
export interface Logger {
  warn(message: string, ...details: unknown[]): void;
}

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The settings of a client. */
export interface ClientOptions {
  /** The server's URL. Default: `REFLECT_BASE_URL` or `REFLECT_API_URL`, else `http://localhost:8000`. */
  baseUrl?: string | undefined;
  /** The API key. Default: `REFLECT_API_KEY`. */
  apiKey?: string | undefined;
  /** The project. Default: `REFLECT_PROJECT_ID`, else `default`. */
  projectId?: string | undefined;
  /** Milliseconds for a call including its retries. Default: 60,000. */
  timeout?: number | undefined;
  /** How often a call is retried after a temporary failure. Default: 2. */
  maxRetries?: number | undefined;
  /** Milliseconds after which a run continues without memories. Default: 5,000. */
  retrievalTimeout?: number | undefined;
  /** The token budget for memories in a prompt. Default: the server's, 1500. */
  memoryTokens?: number | undefined;
  /** Applied to every text of a run before it is sent, queued or written to disk. */
  mask?: Mask | undefined;
  /** Keeps runs on disk until the server has acknowledged them: `diskSpool()` of `reflect-memory/node`. */
  spool?: Spool | undefined;
  /** Keeps the platform alive while runs are sent. `TraceOptions` has it too, for a platform that gives one per request. */
  waitUntil?: WaitUntil | undefined;
  /** Replaces the global `fetch`, for example for a proxy. */
  fetch?: Fetch | undefined;
  /** Default: `console`. */
  logger?: Logger | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for this call including its retries. */
  timeout?: number | undefined;
}

/** Options of calls that retrieve memories. */
export interface QueryOptions {
  /** The maximum number of memories, 1 to 100. Default: 10. */
  limit?: number | undefined;
  /** The weight of utility against similarity: 0 is similarity only, 1 is utility only. Default: the project's. */
  lambda?: number | undefined;
  /** The minimum similarity. Default: the server's. */
  similarityThreshold?: number | undefined;
  /** Only memories whose metadata has these values. */
  metadataFilter?: Record<string, unknown> | undefined;
  /** Excludes memories that would match as `metadataFilter`. */
  metadataExclude?: Record<string, unknown> | undefined;
  /** 1 ranks by score only; lower values prefer memories that differ from those already chosen. */
  mmrLambda?: number | undefined;
  /** `learned` or `classic`. Default: the project's setting. */
  ranking?: Ranking | undefined;
}

/** Options of calls that build a prompt. */
export interface AugmentOptions extends QueryOptions {
  /** The token budget for memories in the prompt. Default: the client's `memoryTokens`. */
  maxTokens?: number | undefined;
}

/** Options of a run. */
export interface TraceOptions extends AugmentOptions {
  /** Metadata of the trace. `setOutput` may add to it. */
  metadata?: Record<string, unknown> | undefined;
  /** Wait at the end of the run until its review has become a memory. */
  blocking?: boolean | undefined;
  /** Milliseconds that a blocking run waits. Default: 60,000. */
  waitTimeout?: number | undefined;
  /** Store a run that ends with an error as failed, with the error's text as feedback. Default: true. */
  autoFail?: boolean | undefined;
  /** `false` records the run without retrieving memories. */
  retrieve?: boolean | undefined;
  /** Cancels the retrieval; a run whose body throws the signal's reason is stored as interrupted. */
  signal?: AbortSignal | undefined;
  /** Overrides the client's `waitUntil`. */
  waitUntil?: WaitUntil | undefined;
}

/** The output of a run. */
export interface RunOutput {
  /** The messages. Default: the recorded messages. */
  trajectory?: Trajectory | undefined;
  /** The agent's answer. Default: the last assistant message. */
  finalResponse?: string | undefined;
  /** Without it, the review is deferred. */
  result?: Result | undefined;
  /** What went wrong. Needs `result`. */
  feedbackText?: string | undefined;
  /** The model's name. */
  model?: string | undefined;
  /** Any JSON object. */
  metadata?: Record<string, unknown> | undefined;
  /** The task to store, if it differs from the task of the retrieval. */
  task?: string | undefined;
  /** The learning rate: how far the review moves utilities, 0 to 1. */
  alpha?: number | undefined;
  /** Reference text that the run is judged against, such as a policy. */
  referenceContext?: string | undefined;
  /** The memories that the agent used, if known. */
  usedMemoryIds?: readonly string[] | undefined;
  /** Keys by which signals find the run later, such as `{ session: "s-2291", commit: "4f2a9c1" }`. They are not masked. */
  keys?: Readonly<Record<string, string>> | undefined;
}

/** A task with its relevant memories. */
export interface Augmented {
  /** The task as given. */
  readonly task: string;
  /** The task followed by the memories; only the task if there are none. */
  readonly augmentedTask: string;
  /** The memories without the task, for a system prompt; an empty text if there are none. */
  readonly memoryBlock: string;
  readonly memories: readonly Memory[];
  /** The ids to send as `retrievedMemoryIds`. */
  readonly memoryIds: readonly string[];
  /** The receipt of the retrieval. */
  readonly retrievalId: string | undefined;
  /** Why memories are missing or were searched by keywords only. */
  readonly degraded: string | undefined;
}

/** A run to store with `client.traces.create`. */
export interface NewTrace extends Omit<
  RunOutput,
  "result" | "feedbackText" | "alpha" | "task" | "trajectory"
> {
  task: string;
  trajectory: Trajectory;
  /** The memories that were given to the run. The review updates their utilities. */
  retrievedMemoryIds?: readonly string[] | undefined;
  /** The receipt of the retrieval, instead of the ids or in addition to them. */
  retrievalId?: string | undefined;
  /** An id that you made (UUID version 7). Sending the same trace with the same id again stores nothing new. */
  traceId?: string | undefined;
  /** Without it, the review is deferred. */
  review?: NewReview | undefined;
}

/** A review of a run. */
export interface NewReview {
  result: Result;
  /** What went wrong. Specific feedback makes better memories. */
  feedbackText?: string | undefined;
  /** The learning rate: how far the review moves utilities, 0 to 1. */
  alpha?: number | undefined;
}

/** The result of a flush. */
export interface FlushResult {
  /** Acknowledged by the server since the last flush. */
  readonly sent: number;
  /** Not acknowledged, and in memory only. */
  readonly pending: number;
  /** Not acknowledged, and on disk. */
  readonly spooled: number;
  /** Lost since the last flush; the log has the reason. */
  readonly dropped: number;
}

/**
 * Totals since the client was created.
 *
 * At any time, `produced + adopted` equals `sent + pending + spooled` plus the sum of `dropped`.
 */
export interface DeliveryCounters {
  /** Queued by the application. */
  readonly produced: number;
  /** Taken over from the spool of a process that has ended. */
  readonly adopted: number;
  readonly sent: number;
  readonly pending: number;
  readonly spooled: number;
  /** By reason: `rejected`, `full`, `expired`, `damaged`, `mask_failed`, `exit`. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Runs without anything to send. They are not part of the other counters. */
  readonly empty: number;
}

/** Keeps runs on disk. `diskSpool()` of `reflect-memory/node` creates one. */
export interface Spool {
  /** Opens the journal of one project of one server. `warn` logs a problem, one of the same kind at most once a minute. */
  open(destination: string, warn: (message: string, kind: string) => void): SpoolJournal;
}

/** The records of one project on disk. No method throws. */
export interface SpoolJournal {
  /** Writes a record. The place, or undefined if it cannot be stored. */
  append(record: SpoolRecord): SpoolPlace | undefined;
  /** Reads a record again; undefined if it is damaged. */
  read(place: SpoolPlace): Uint8Array | undefined;
  /** Marks records as acknowledged or dropped, so that no process sends them again. */
  settle(places: readonly SpoolPlace[]): void;
  /** Takes over one file of a process that has ended; undefined if there is none. Shows that this process is alive. */
  adopt(): SpoolAdoption | undefined;
  /** Leaves the rest to the next process. A later `append` goes on. */
  release(): void;
}

/** One run in the spool. `body` is its JSON. */
export interface SpoolRecord {
  readonly traceId: string;
  readonly body: Uint8Array;
}

/** Where a record is on disk. Only the journal that returned it can read it. */
export interface SpoolPlace {
  readonly traceId: string;
  readonly size: number;
}

/** What was taken over. */
export interface SpoolAdoption {
  readonly places: readonly SpoolPlace[];
  /** Records that were too old. They are dropped and counted. */
  readonly expired: number;
}
