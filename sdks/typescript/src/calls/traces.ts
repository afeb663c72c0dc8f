/** Calls about traces. */

import { checkResult, requireKnownFields, requireText, requireTrajectory } from "../arguments.js";
import type {
  DeletedTraces,
  GetPartQuery,
  GetStepsQuery,
  ListRowsQuery,
  ListTracesQuery,
  PartText,
  Trace,
  TraceLine,
  TraceSteps,
  TraceSubmission,
} from "../generated/bodies.js";
import { newTraceId } from "../ids.js";
import type { CallOptions, NewTrace } from "../types.js";
import { waitFor, type WaitOptions } from "../waiting.js";
import type { Pages } from "../wire/pages.js";
import type { TraceBody } from "../wire/trace-body.js";
import { calls, send, type CallContext } from "./routes.js";

const REVIEW_FIELDS = ["result", "feedbackText", "alpha"];

/** The background delivery of a client. */
export interface Delivery {
  enqueue(body: TraceBody): void;
  readonly outbox: { hasOwn(traceId: string): boolean };
}

/** Stores, reads and deletes traces: `client.traces`. */
export interface TraceCalls {
  /** Stores a run and returns when the server has it. `client.trace` is easier and never waits. */
  create(trace: NewTrace, options?: CallOptions): Promise<TraceSubmission>;

  /** Queues a run for delivery in the background, like `client.trace`, and returns its id. */
  enqueue(trace: NewTrace): string;

  /**
   * Stores a run and waits until its review has become a memory. Without a review it returns as soon as the trace is
   * stored. Throws `IngestFailedError` if learning failed, and `WaitTimeoutError`.
   */
  createAndWait(trace: NewTrace, options?: WaitOptions): Promise<Trace>;

  /** One trace with its trajectory, its review and the id of the memory that was learned from it. */
  get(traceId: string, options?: CallOptions): Promise<Trace>;

  /** All traces, newest first. */
  list(query?: ListTracesQuery, options?: CallOptions): Pages<Trace>;

  /** All traces, newest first, as short rows without their messages, with more filters. */
  rows(query?: ListRowsQuery, options?: CallOptions): Pages<TraceLine>;

  /** Waits until a trace is stored and, with `requireReviewed`, until its review has become a memory. */
  wait(traceId: string, options?: WaitOptions): Promise<Trace>;

  /** The steps of a run, as the console shows them. */
  steps(traceId: string, query?: GetStepsQuery, options?: CallOptions): Promise<TraceSteps>;

  /** The whole text of one part of a step, which `steps` shortens. */
  part(traceId: string, part: number, query?: GetPartQuery, options?: CallOptions): Promise<PartText>;

  /** Deletes at most 1000 traces and their reviews; the result lists the traces that existed. */
  delete(traceIds: readonly string[], options?: CallOptions): Promise<DeletedTraces>;

  /** Retries learning from a review that failed. Fix the cause of the failure first. */
  retry(traceId: string, options?: CallOptions): Promise<Trace>;
}

export function traceCalls(context: CallContext, delivery: Delivery): TraceCalls {
  const store = async (name: string, trace: NewTrace, options?: CallOptions): Promise<TraceSubmission> => {
    const route = "ingest_status POST traces masked key=traceId";
    const stored = await send<TraceSubmission>(context, name, route, traceBody(name, trace), options);
    const id = stored.id ?? stored.traceId;
    return { ...stored, id, traceId: id };
  };
  const wait = async (name: string, traceId: string, options: WaitOptions): Promise<Trace> => {
    await context.flushed(traceId);
    return waitFor(context.api, name, traceId, () => delivery.outbox.hasOwn(traceId), options);
  };
  return {
    ...calls<TraceCalls>(context, "traces", {
      get: "id GET traces/: flush=id",
      list: "pages GET traces query flush",
      rows: "pages GET traces/rows query flush",
      steps: "steps GET traces/:/steps query",
      part: "n GET traces/:/parts/: query",
      delete: "trace_ids POST traces/delete body=traceIds key flush",
      retry: "id POST traces/:/retry empty",
    }),
    create: (trace, options) => store("traces.create", trace, options),
    enqueue(trace) {
      const body = traceBody("traces.enqueue", trace);
      delivery.enqueue(body);
      return body.traceId;
    },
    async createAndWait(trace, options = {}) {
      const name = "traces.createAndWait";
      const { id } = await store(name, trace, { signal: options.signal });
      return wait(name, id, { requireReviewed: trace.review !== undefined, ...options });
    },
    wait: (traceId, options = {}) => wait("traces.wait", traceId, options),
  };
}

/** The body of a trace, from the caller's fields. */
function traceBody(call: string, trace: NewTrace): TraceBody {
  requireText(call, "task", trace.task);
  requireTrajectory(call, trace.trajectory);
  const { review, traceId } = trace;
  if (review) requireKnownFields(`${call}: review`, review, REVIEW_FIELDS);
  return {
    ...trace,
    traceId: traceId ?? newTraceId(),
    review: review && { ...review, result: checkResult(review.result) },
  };
}
