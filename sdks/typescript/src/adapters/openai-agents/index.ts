/**
 * Reflect for OpenAI Agents: `reflect-memory/openai-agents`, for version 0.20 of the package `@openai/agents`.
 *
 *     install();
 *     await client.trace("Refund order 1182", async (traced) => {
 *       const result = await run(agent, traced.augmentedTask);
 *       traced.review("pass");
 *     });
 *
 * It uses the framework's tracing. Where that is disabled (`OPENAI_AGENTS_DISABLE_TRACING`, `NODE_ENV=test`) or leaves out
 * sensitive data, nothing is recorded; use `messagesOf(result)` then.
 */

import { addTraceProcessor, type Span, type Trace, type TracingProcessor } from "@openai/agents";

import { currentRecorder, guarded, type Recorder, recorderOf } from "../../recorder/index.js";
import type { Run } from "../../run.js";
import type { Message } from "../../types.js";
import { Items } from "../messages/items.js";
import { read, readText } from "../messages/plain.js";
import { ofError, ofGeneration, ofGuardrail, ofResponse, ofTool } from "./spans.js";

const SOURCE = "openai-agents";
/** Traces of the framework that have not ended. The oldest beyond this number are recorded by context only. */
const MOST_TRACES = 1000;

/**
 * Records the model calls, tools and guardrails of OpenAI Agents in the current run.
 *
 *     addTraceProcessor(new ReflectTracingProcessor());
 *
 * Outside a run, or while `active` is false, it does nothing. On a platform without `AsyncLocalStorage`, pass the run:
 * `new ReflectTracingProcessor({ run })`.
 */
export class ReflectTracingProcessor implements TracingProcessor {
  /** While it is false, the processor does nothing. */
  active = true;
  readonly #run: Run | undefined;
  /** By the id of the framework's trace, for spans that end in a context without the run. */
  readonly #recorders = new Map<string, WeakRef<Recorder>>();

  constructor({ run }: { run?: Run | undefined } = {}) {
    this.#run = run;
  }

  async onTraceStart(trace: Trace): Promise<void> {
    guarded("looking at the beginning of a run", () => this.#recorder(trace.traceId));
  }

  async onTraceEnd(trace: Trace): Promise<void> {
    this.#recorders.delete(trace.traceId);
  }

  /** The content of a span is known at its end. */
  async onSpanStart(): Promise<void> {}

  async onSpanEnd(span: Span<SpanContent>): Promise<void> {
    guarded("recording a span", () => {
      const recorder = this.#recorder(span.traceId);
      if (recorder !== undefined) record(recorder, span);
    });
  }

  /** There is no buffer. */
  async shutdown(): Promise<void> {}

  /** There is no buffer. */
  async forceFlush(): Promise<void> {}

  #recorder(traceId: string): Recorder | undefined {
    if (!this.active) return undefined;
    const given = this.#run === undefined ? currentRecorder() : recorderOf(this.#run);
    const recorder = given ?? this.#recorders.get(traceId)?.deref();
    if (recorder !== undefined) {
      this.#recorders.set(traceId, new WeakRef(recorder));
      if (this.#recorders.size > MOST_TRACES) this.#recorders.delete(this.#recorders.keys().next().value!);
    }
    return recorder;
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the interface of the framework has it
type SpanContent = any;

function record(recorder: Recorder, span: Span<SpanContent>): void {
  const data: unknown = span.spanData;
  const kind = readText(data, "type");
  if (kind === "response" || kind === "generation") {
    const exchange = kind === "response" ? ofResponse(data) : ofGeneration(data);
    if (exchange !== undefined) recorder.exchange(exchange.request, exchange.answer, SOURCE);
    if (span.error !== null) recorder.note(ofError(span.error));
  } else if (kind === "function") {
    recorder.toolResult(ofTool(data, span.error), read(data, "input"));
  } else if (kind === "guardrail" && read(data, "triggered") === true) {
    recorder.note(ofGuardrail(data));
  }
}

let installed: ReflectTracingProcessor | undefined;

/** Adds the processor to the framework. Other processors are kept. A second call has no effect. */
export function install(): ReflectTracingProcessor {
  if (installed === undefined) {
    installed = new ReflectTracingProcessor();
    addTraceProcessor(installed);
  }
  installed.active = true;
  return installed;
}

/** Undoes `install`. The framework cannot remove a processor, so it stays and does nothing. */
export function uninstall(): void {
  if (installed !== undefined) installed.active = false;
}

/**
 * The messages of a finished run, or of its items, for runs without tracing.
 *
 *     run.setOutput({ trajectory: messagesOf(result) });
 */
export function messagesOf(result: unknown): Message[] {
  return new Items().extend(read(result, "history") ?? result).messages();
}
