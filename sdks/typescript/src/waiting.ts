/** Waits until a trace is processed. */

import {
  APIConnectionError,
  APIStatusError,
  IngestFailedError,
  NotFoundError,
  WaitTimeoutError,
} from "./errors.js";
import type { Trace } from "./generated/bodies.js";
import { pause, type Api } from "./wire/api.js";
import { isTemporary } from "./wire/retry.js";

// The long-poll time of one request in seconds; the server allows up to 50.
const LONG_POLL = 20;
// How long an unknown trace may be missing, because another process may still be sending it.
const UNKNOWN_TRACE = 5_000;

/** Options of a wait. */
export interface WaitOptions {
  /** Wait until the review of the trace has become a memory. */
  requireReviewed?: boolean | undefined;
  /** Milliseconds to wait. Default: 60,000. */
  waitTimeout?: number | undefined;
  /** Minimum milliseconds between two requests; each request is a long poll. Default: 250. */
  pollInterval?: number | undefined;
  /** Cancels the wait. */
  signal?: AbortSignal | undefined;
}

/**
 * Waits until the trace is stored and, with `requireReviewed`, until its review is processed. `isQueued` says whether
 * this process still has the trace in its queue: then the trace may be missing until the end.
 */
export async function waitFor(
  api: Api,
  name: string,
  traceId: string,
  isQueued: () => boolean,
  { requireReviewed = false, waitTimeout = 60_000, pollInterval = 250, signal }: WaitOptions,
): Promise<Trace> {
  const began = Date.now();
  const left = () => began + waitTimeout - Date.now();
  let known = false;
  let last: string;
  for (;;) {
    const patience = Math.min(left() / 1000, known ? LONG_POLL : UNKNOWN_TRACE / 1000);
    const wait = Math.floor(requireReviewed || known ? patience : 0) || undefined;
    try {
      // The time limit is slightly longer than the wait, to receive the last response.
      const options = { signal, timeout: Math.max(0, left()) + 500 };
      const trace = await api.call<Trace>("id", {
        name,
        path: ["traces", traceId],
        query: { wait },
        options,
      });
      const { reviewStatus, ingestStatus, lastIngestError } = trace;
      known = true;
      if (ingestStatus === "failed") {
        throw new IngestFailedError(
          lastIngestError || `Learning from the review of trace ${traceId} failed.`,
        );
      }
      if (!requireReviewed || (reviewStatus === "reviewed" && trace.createdMemoryId)) return trace;
      last = `reviewStatus is ${reviewStatus}, ingestStatus is ${ingestStatus}. ${lastIngestError ?? ""}`;
    } catch (error) {
      const isMissing = error instanceof NotFoundError;
      const mayCome = Date.now() - began < Math.min(UNKNOWN_TRACE, waitTimeout) || isQueued();
      // A restart of the server does not end the wait.
      const passes =
        error instanceof APIStatusError ? isTemporary(error.status) : error instanceof APIConnectionError;
      if (isMissing ? !mayCome : !passes) throw error;
      last = (error as Error).message;
    }
    if (left() <= 0) {
      throw new WaitTimeoutError(
        `${name}: trace ${traceId} was not processed after ${waitTimeout} ms: ${last}`,
      );
    }
    await pause(Math.min(pollInterval, left()), signal);
  }
}
