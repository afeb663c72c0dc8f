/** Records calls of `generateText`, `streamText` and agents as runs, through the telemetry interface of the AI SDK. */

import type { Telemetry } from "ai";

import type { ReflectClient } from "../../client.js";
import { currentRun, guarded } from "../../recorder/index.js";
import type { TraceOptions } from "../../types.js";
import { readText } from "../messages/plain.js";
import { taskOf } from "./messages.js";
import { Operation } from "./operation.js";

const RECORDED = new Set(["ai.generateText", "ai.streamText"]);
/** A stream that is never read has no end. The oldest operations beyond this number are not recorded. */
const MOST_OPERATIONS = 1000;
const STREAM_ERROR = "The stream of the model ended with an error.";

/** Options of `reflectTelemetry`. */
export interface ReflectTelemetryOptions extends Omit<
  TraceOptions,
  "retrieve" | "signal" | "blocking" | "waitTimeout"
> {
  /** Receives the id of each trace when its run has ended, for example to review it later. */
  onTrace?: ((traceId: string) => void) | undefined;
}

/**
 * Records each call of `generateText`, `streamText` or an agent as one run: messages, tool calls, results, errors and
 * usage. A call inside `client.trace`, or inside a tool of a recorded call, becomes part of that run.
 *
 *     registerTelemetry(reflectTelemetry(client));
 *
 * It follows the telemetry settings of a call: with `isEnabled: false` or `recordInputs: false`, it records nothing, and
 * with `recordOutputs: false`, no outputs.
 */
export function reflectTelemetry(client: ReflectClient, options: ReflectTelemetryOptions = {}): Telemetry {
  const { onTrace, ...traceOptions } = options;
  const operations = new Map<string, Operation>();

  function begin(event: { callId: string; operationId: string; functionId?: string | undefined }): void {
    const task = taskOf(event);
    if (task === undefined || !RECORDED.has(event.operationId)) return;
    const functionId = readText(event, "functionId");
    const metadata = {
      ...(functionId === undefined ? {} : { function_id: functionId }),
      ...traceOptions.metadata,
    };
    const outer = currentRun();
    const settings = {
      client,
      task,
      options: { ...traceOptions, metadata },
      outer: outer?.ended ? undefined : outer,
    };
    operations.set(event.callId, new Operation(settings));
    if (operations.size > MOST_OPERATIONS) operations.delete(operations.keys().next().value!);
  }

  async function end(callId: string, before?: (operation: Operation) => Promise<void>): Promise<void> {
    const operation = operations.get(callId);
    if (operation === undefined) return;
    operations.delete(callId);
    await before?.(operation);
    const traceId = await operation.end();
    if (traceId !== undefined) onTrace?.(traceId);
  }

  return {
    onStart: (event) => guarded("starting a run", () => begin(event)),
    onLanguageModelCallStart: (event) =>
      guarded("reading a request", () => operations.get(event.callId)?.asked(event)),
    executeLanguageModelCall: ({ callId, execute }) => operations.get(callId)?.within(execute) ?? execute(),
    onLanguageModelCallEnd: (event) =>
      guarded("recording an answer", () => operations.get(event.callId)?.answered(event)),
    executeTool: ({ callId, execute }) => operations.get(callId)?.withinRun(execute) ?? execute(),
    onToolExecutionEnd: (event) =>
      guarded("recording the result of a tool", () => operations.get(event.callId)?.toolEnded(event)),
    onStepError: (event) =>
      guarded("recording an error", () => operations.get(event.callId)?.failed(event.error)),
    onEnd: (event) =>
      guarded("ending a run", () => {
        // The error of a stream: its text went to the application's `onError`.
        const failed = "finishReason" in event && event.finishReason === "error";
        return end(
          event.callId,
          failed ? (operation) => operation.failed(new Error(STREAM_ERROR)) : undefined,
        );
      }),
    onAbort: (event) =>
      guarded("ending a cancelled run", () => end(event.callId, (operation) => operation.cancelled())),
    onError: (event) => {
      const { callId, error } = event as { callId: string; error: unknown };
      return guarded("ending a failed run", () => end(callId, (operation) => operation.failed(error)));
    },
  };
}
