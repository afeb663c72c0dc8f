/** One call of `generateText` or `streamText` with all its steps, and the run that it is recorded in. */

import { AsyncLocalStorage } from "node:async_hooks";

import type { ReflectClient } from "../../client.js";
import { errorMessage, guarded, type Recorder, recorderOf } from "../../recorder/index.js";
import type { Run } from "../../run.js";
import type { Message, TraceOptions } from "../../types.js";
import { answerOf, requestOf, toolOutputMessage, toolResultsOf } from "./messages.js";
import { messagesWith } from "./lessons.js";

const SOURCE = "ai";

const storage = new AsyncLocalStorage<Operation>();

/** The operation whose model call the code is part of. */
export function currentOperation(): Operation | undefined {
  return storage.getStore();
}

/** What an operation is recorded with. */
export interface OperationSettings {
  readonly client: ReflectClient;
  readonly task: string;
  readonly options: TraceOptions;
  /** The run that the caller started. Without it, the operation is a run of its own. */
  readonly outer: Run | undefined;
}

export class Operation {
  readonly #settings: OperationSettings;
  #started: Promise<Run> | undefined;
  /** The request of the model call in progress. */
  #request: readonly Message[] | undefined;
  /** The memories that the middleware put into the prompt. */
  #block = "";
  /** The text that the middleware has seen of an answer that is being streamed. */
  #streamed = "";
  /** The error that the operation ended with. */
  #failure: { error: unknown } | undefined;

  constructor(settings: OperationSettings) {
    this.#settings = settings;
  }

  /** Runs a model call, so that the middleware finds this operation. */
  within<T>(body: () => T): T {
    return storage.run(this, body);
  }

  /** Runs a tool as part of the run: what it calls is recorded there too. */
  async withinRun<T>(body: () => PromiseLike<T>): Promise<T> {
    const run = await this.#run(false).catch(() => undefined);
    return run === undefined ? await body() : await run.within(body);
  }

  /** The memories for the prompt. The run of an operation starts here, if a model uses the middleware. */
  async memoryBlock(): Promise<string> {
    this.#block = (await this.#run(true)).memoryBlock;
    return this.#block;
  }

  /** A model call begins. */
  asked(event: unknown): void {
    this.#request = requestOf(event);
    this.#streamed = "";
  }

  /** A piece of an answer that is being streamed. */
  streamed(text: string): void {
    this.#streamed += text;
  }

  /** A model call has ended. */
  answered(event: { readonly responseId: string }): Promise<void> {
    return this.#record("recording an answer", (recorder) => {
      this.#exchange(recorder, [answerOf(event)], event.responseId);
      for (const result of toolResultsOf(event)) recorder.toolResult(result);
    });
  }

  /** A tool has ended. */
  toolEnded(event: {
    readonly toolCall: { readonly input: unknown };
    readonly toolOutput: unknown;
  }): Promise<void> {
    return this.#record("recording the result of a tool", (recorder) => {
      recorder.toolResult(toolOutputMessage(event.toolOutput), event.toolCall.input);
    });
  }

  /** A step failed: its model call, or what came before it. */
  async failed(error: unknown): Promise<void> {
    this.#failure = { error };
    await this.#broken([errorMessage(error)]);
  }

  /** The operation was cancelled. */
  async cancelled(): Promise<void> {
    this.#failure = { error: new DOMException("The call was cancelled.", "AbortError") };
    await this.#broken([]);
  }

  /** Ends the run, if it is the operation's own; the id of its trace. */
  async end(): Promise<string | undefined> {
    if (this.#settings.outer !== undefined || this.#started === undefined) return undefined;
    const run = await this.#started;
    if (this.#failure !== undefined) run.fail(this.#failure.error);
    await run.end();
    return run.traceId;
  }

  /** Records the model call in progress, which has no complete answer. */
  async #broken(failure: readonly Message[]): Promise<void> {
    if (this.#request === undefined) return;
    await this.#record("recording a failed call", (recorder) => {
      const partial = { role: "assistant", content: this.#streamed, incomplete: true };
      this.#exchange(recorder, [...(this.#streamed === "" ? [] : [partial]), ...failure], undefined);
    });
  }

  #exchange(recorder: Recorder, messages: readonly Message[], id: string | undefined): void {
    const request = messagesWith(this.#request ?? [], this.#block);
    this.#request = undefined;
    recorder.exchange({ messages: request }, { messages, id }, SOURCE);
  }

  #run(retrieve: boolean): Promise<Run> {
    const { client, task, options, outer } = this.#settings;
    return (this.#started ??= outer
      ? Promise.resolve(outer)
      : client.startTrace(task, { ...options, retrieve }));
  }

  async #record(doing: string, body: (recorder: Recorder) => void): Promise<void> {
    const run = await this.#run(false);
    guarded(doing, () => body(recorderOf(run)));
  }
}
