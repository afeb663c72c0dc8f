/** Calls about the review queue and the judge. */

import type {
  ChangeLeases,
  DeferredTrace,
  DeferTrace,
  HeldLeases,
  JudgeOpinion,
  JudgeStatus,
  NextReviews,
  QueuedTraces,
  ReviewQueue,
  TryJudge,
} from "../generated/bodies.js";
import type { CallOptions } from "../types.js";
import { calls, type CallContext } from "./routes.js";

/** Works on the runs that wait for a review: `client.queue`. */
export interface QueueCalls {
  /** How many runs wait, and for how long. */
  status(options?: CallOptions): Promise<ReviewQueue>;

  /** Leases the next runs: other reviewers do not get them for some time. */
  next(query?: NextReviews, options?: CallOptions): Promise<QueuedTraces>;

  /** Renews or releases leases. */
  lease(change: ChangeLeases, options?: CallOptions): Promise<HeldLeases>;

  /** Takes a run out of the queue for some time. */
  defer(traceId: string, until?: DeferTrace, options?: CallOptions): Promise<DeferredTrace>;

  /** Puts a deferred run back into the queue. */
  resume(traceId: string, options?: CallOptions): Promise<DeferredTrace>;
}

export const queueCalls = (context: CallContext): QueueCalls =>
  calls(context, "queue", {
    status: "pending GET review-queue flush",
    next: "items POST review-queue/next body flush",
    lease: "held POST review-queue/leases body",
    defer: "trace_id POST traces/:/defer body flush",
    resume: "trace_id DELETE traces/:/defer",
  });

/** The model that reviews runs: `client.judge`. */
export interface JudgeCalls {
  /** What the judge does, and how well it agrees with people. */
  status(options?: CallOptions): Promise<JudgeStatus>;

  /** Asks the judge about a stored run, or about one that you pass. Nothing is stored. */
  try(run: TryJudge, options?: CallOptions): Promise<JudgeOpinion>;
}

export const judgeCalls = (context: CallContext): JudgeCalls =>
  calls(context, "judge", {
    status: "state GET judge",
    try: "verdict POST judge/try masked",
  });
