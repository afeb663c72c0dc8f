/**
 * Reflect for LangChain and LangGraph: `reflect-memory/langchain`, for version 1 of `@langchain/core`.
 *
 *     install();
 *     await client.trace("Refund order 1182", async (run) => {
 *       await agent.invoke({ messages: [{ role: "user", content: run.augmentedTask }] });
 *       run.review("pass");
 *     });
 *
 * An error of the handler never reaches the agent.
 */

import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { registerConfigureHook, setContextVariable } from "@langchain/core/context";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { AsyncLocalStorage } from "node:async_hooks";

import {
  type Conversation,
  currentRecorder,
  errorMessage,
  guarded,
  type Recorder,
  recorderOf,
} from "../../recorder/index.js";
import type { Run } from "../../run.js";
import type { Message } from "../../types.js";
import { readText } from "../messages/plain.js";
import { answerId, answersOf, failedTool, isStop, langchainMessage, toolResults } from "./messages.js";

const SOURCE = "langchain";
const CONTEXT_VARIABLE = "reflect_memory_handler";
/** A stream that is left early has no end. The oldest calls beyond this number are not recorded. */
const MOST_CALLS = 10_000;

/** A model call in progress. */
interface ModelCall {
  readonly recorder: Recorder;
  readonly conversation: Conversation;
  readonly agent: string | undefined;
  streamed: string;
}

/** A tool in progress. */
interface ToolCall {
  readonly recorder: Recorder;
  readonly name: string;
  readonly input: string;
  readonly id: string | undefined;
}

/**
 * Records the model and tool calls of LangChain in the current run.
 *
 *     await agent.invoke(state, { callbacks: [new ReflectCallbackHandler()] });
 *
 * Outside a run it does nothing, so it can stay attached to a model or a graph. On a platform without
 * `AsyncLocalStorage`, pass the run: `new ReflectCallbackHandler({ run })`.
 */
export class ReflectCallbackHandler extends BaseCallbackHandler {
  override name = CONTEXT_VARIABLE;
  /** Keeps the order of events, and the current run. The methods do not wait for anything. */
  override awaitHandlers = true;
  readonly #run: Run | undefined;
  /** By the id of LangChain's run: code of a graph may have lost the current run. */
  readonly #recorders = new Map<string, WeakRef<Recorder>>();
  readonly #models = new Map<string, ModelCall>();
  readonly #tools = new Map<string, ToolCall>();

  /** While it is false, the handler does nothing. */
  active = true;

  constructor({ run }: { run?: Run | undefined } = {}) {
    super();
    this.#run = run;
  }

  override handleChainStart(
    ...[, , runId, , , , , parentRunId]: Parameters<Handle<"handleChainStart">>
  ): void {
    guarded("looking at the beginning of a chain", () => this.#recorder(runId, parentRunId));
  }

  override handleChainEnd(_: unknown, runId: string): void {
    this.#recorders.delete(runId);
  }

  override handleChainError(_: unknown, runId: string): void {
    this.#recorders.delete(runId);
  }

  override handleChatModelStart(
    ...[, batches, runId, parentRunId, , , metadata]: Parameters<Handle<"handleChatModelStart">>
  ): void {
    guarded("reading the messages for a model", () => {
      this.#begin(
        batches.flat().map(langchainMessage),
        runId,
        parentRunId,
        readText(metadata, "lc_agent_name"),
      );
    });
  }

  override handleLLMStart(...[, prompts, runId, parentRunId]: Parameters<Handle<"handleLLMStart">>): void {
    guarded("reading the prompt for a model", () => {
      this.#begin(prompts.map(langchainMessage), runId, parentRunId, undefined);
    });
  }

  override handleLLMNewToken(...[token, , runId]: Parameters<Handle<"handleLLMNewToken">>): void {
    const call = this.#models.get(runId);
    if (call !== undefined) call.streamed += token;
  }

  override handleLLMEnd(...[output, runId]: Parameters<Handle<"handleLLMEnd">>): void {
    guarded("recording the answer of a model", () => {
      const call = taken(this.#models, runId);
      const messages = answersOf(output).map((message) =>
        call?.agent ? { agent: call.agent, ...message } : message,
      );
      const answer = { messages, id: answerId(output), parallel: messages.length > 1 };
      call?.recorder.answer(call.conversation, answer, SOURCE);
    });
  }

  override handleLLMError(...[error, runId]: Parameters<Handle<"handleLLMError">>): void {
    guarded("recording the error of a model", () => {
      const call = taken(this.#models, runId);
      const partial = call?.streamed ? [{ role: "assistant", content: call.streamed, incomplete: true }] : [];
      const failed = isStop(error) ? [] : [errorMessage(error)];
      call?.recorder.answer(call.conversation, { messages: [...partial, ...failed] }, SOURCE);
    });
  }

  override handleToolStart(
    ...[tool, input, runId, parentRunId, , , runName, id]: Parameters<Handle<"handleToolStart">>
  ): void {
    guarded("reading the arguments of a tool", () => {
      const recorder = this.#recorder(runId, parentRunId);
      if (recorder === undefined) return;
      const name = requestedName(recorder.run, id) ?? runName ?? readText(tool, "name") ?? "unknown";
      keep(this.#tools, runId, { recorder, name, input, id });
    });
  }

  override handleToolEnd(...[output, runId]: Parameters<Handle<"handleToolEnd">>): void {
    guarded("recording the result of a tool", () => {
      const call = taken(this.#tools, runId);
      if (call === undefined) return;
      for (const message of toolResults(output, call.name, call.id))
        call.recorder.toolResult(message, call.input);
    });
  }

  override handleToolError(...[error, runId]: Parameters<Handle<"handleToolError">>): void {
    guarded("recording the error of a tool", () => {
      const call = taken(this.#tools, runId);
      const message = call && failedTool(error, call.name, call.id);
      if (message !== undefined) call?.recorder.toolResult(message, call.input);
    });
  }

  #begin(
    messages: Message[],
    runId: string,
    parentRunId: string | undefined,
    agent: string | undefined,
  ): void {
    const recorder = this.#recorder(runId, parentRunId);
    if (recorder === undefined) return;
    keep(this.#models, runId, { recorder, conversation: recorder.ask({ messages }), agent, streamed: "" });
  }

  #recorder(runId: string, parentRunId: string | undefined): Recorder | undefined {
    if (!this.active) return undefined;
    const given = this.#run === undefined ? currentRecorder() : recorderOf(this.#run);
    const found =
      given ?? (parentRunId === undefined ? undefined : this.#recorders.get(parentRunId)?.deref());
    if (found !== undefined) keep(this.#recorders, runId, new WeakRef(found));
    return found;
  }
}

/** The name of the tool in the call that the model requested: LangChain does not always pass it. */
function requestedName(run: Run, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const calls = run.messages.flatMap((message) => message.tool_calls ?? []);
  return calls.findLast((call) => call.id === id)?.function?.name;
}

type Handle<Name extends keyof BaseCallbackHandler> =
  NonNullable<BaseCallbackHandler[Name]> extends infer Method
    ? Method extends (...args: infer Arguments) => unknown
      ? (...args: Arguments) => void
      : never
    : never;

function keep<T>(calls: Map<string, T>, runId: string, call: T): void {
  calls.set(runId, call);
  if (calls.size > MOST_CALLS) calls.delete(calls.keys().next().value!);
}

function taken<T>(calls: Map<string, T>, runId: string): T | undefined {
  const found = calls.get(runId);
  calls.delete(runId);
  return found;
}

let installed: ReflectCallbackHandler | undefined;

/**
 * Attaches a handler to every model, tool and graph of LangChain that is called from here on, so that it need not be
 * passed to each. Call it once, where the program starts. A second call has no effect.
 *
 * It uses LangChain's configure hooks, which need `AsyncLocalStorage`.
 */
export function install(): ReflectCallbackHandler {
  if (installed === undefined) {
    installed = new ReflectCallbackHandler();
    // LangGraph does the same when it is imported. The first one stays.
    AsyncLocalStorageProviderSingleton.initializeGlobalInstance(new AsyncLocalStorage());
    registerConfigureHook({ contextVar: CONTEXT_VARIABLE, inheritable: true });
    setContextVariable(CONTEXT_VARIABLE, installed);
  }
  installed.active = true;
  return installed;
}

/** Undoes `install`. LangChain cannot detach a handler everywhere, so it stays attached and does nothing. */
export function uninstall(): void {
  if (installed !== undefined) installed.active = false;
}
