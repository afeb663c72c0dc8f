/**
 * Builds the trace when a run ends.
 *
 * | The run ends                                               | The trace                                   |
 * |------------------------------------------------------------|---------------------------------------------|
 * | normally                                                   | as set by `setOutput`                       |
 * | with an error, after `setOutput` or with recorded messages | fail, with the error's text as feedback     |
 * | with an error, without output or messages                  | pending: there is nothing to judge          |
 * | by cancellation (an `AbortError`)                          | pending and marked as interrupted           |
 * | with an error about the use of this package                | pending: it says nothing about the agent    |
 * | without output, messages or error                          | none                                        |
 *
 * A result that was set before an interruption or a usage error is not sent, because the run was not complete. It is
 * logged, and kept in the metadata of the trace.
 */

import { InvalidArgumentError, RunEndedError } from "./errors.js";
import type { Run } from "./run.js";
import type { Message, Result } from "./types.js";
import { toJson } from "./wire/encode.js";
import type { TraceBody } from "./wire/trace-body.js";

// The maximum length of the feedback of a run that threw an error.
const MAX_FEEDBACK = 2000;

/** The body of the run's trace; undefined if there is nothing to store. */
export function bodyOfRun(
  run: Run,
  recorded: readonly Message[],
  warn: (text: string) => void,
): TraceBody | undefined {
  const { error, output = {}, options, verdict } = run;
  if (!error && !run.output && !verdict && recorded.length === 0) return undefined;
  const trajectory = output.trajectory ?? recorded;
  const autoFail = options.autoFail ?? true;
  let review = verdict;
  let discarded: Result | undefined;
  if (error && (isInterruption(run) || (autoFail && isUsageError(error.thrown)))) {
    discarded = verdict?.result;
    review = undefined;
    if (discarded) {
      warn(
        `The run ${run.traceId} ended with ${nameOf(error.thrown)}, so its result "${discarded}" is not sent.`,
      );
    }
  } else if (error && autoFail && (trajectory.length > 0 || run.output || verdict)) {
    const text = [verdict?.feedbackText, textOf(error.thrown).slice(0, MAX_FEEDBACK)]
      .filter(Boolean)
      .join("\n");
    review = { ...verdict, result: "fail", feedbackText: text };
  }
  const marks = marksOf(run, discarded);
  return {
    ...output,
    traceId: run.traceId,
    task: output.task ?? run.task,
    trajectory: trajectory.length > 0 ? trajectory : [{ role: "user", content: run.augmentedTask }],
    retrievedMemoryIds: run.memoryIds,
    model: output.model ?? modelOf(recorded),
    metadata: {
      ...options.metadata,
      ...output.metadata,
      ...(Object.keys(marks).length > 0 ? { reflect: marks } : {}),
    },
    retrievalId: run.retrievalId,
    review,
  };
}

/** Whether the error is a cancellation: it says nothing about the agent. */
function isInterruption({ error, options: { signal } }: Run): boolean {
  const thrown = error?.thrown;
  return (
    (thrown instanceof Error && thrown.name === "AbortError") ||
    (signal?.aborted === true && thrown === signal.reason)
  );
}

function isUsageError(thrown: unknown): boolean {
  return thrown instanceof InvalidArgumentError || thrown instanceof RunEndedError;
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message || thrown.name : toJson(thrown);
}

/** The model of the last recorded answer. */
function modelOf(recorded: readonly Message[]): string | undefined {
  return recorded.findLast((message) => typeof message.model === "string" && message.model)?.model;
}

/** Metadata about how the run ended, under the key `reflect`, separate from the user's metadata. */
function marksOf(run: Run, discarded: Result | undefined): Record<string, unknown> {
  const marks: Record<string, unknown> = {};
  // With a receipt, the server already has this information.
  if (!run.retrievalId && run.degraded) marks["degraded"] = run.degraded;
  if (run.parentId) marks["parent_trace_id"] = run.parentId;
  if (discarded) marks["discarded_result"] = discarded;
  if (run.error) {
    const { thrown } = run.error;
    const interrupted = isInterruption(run);
    marks[interrupted ? "interrupted" : "error"] = nameOf(thrown);
    const where = /\n\s*at (.+)/.exec((thrown as Error | undefined)?.stack ?? "");
    if (where && !interrupted) marks["where"] = where[1];
  }
  return marks;
}
