// The grace period of a review, and the count of runs that wait for one.
import type { Overview, ReviewQueue } from "./types";

/** The grace period: how long the server waits before it learns from a verdict. */
export const GRACE_SECONDS = 15;

/** The server counts runs without a review up to this number. */
const MAX_COUNTED = 10_000;

/**
 * The runs that wait for a review: without a review and not deferred. A skipped run waits for the other reviewers.
 * Every page shows this count.
 */
export function waitingRuns(queue: ReviewQueue): { count: number; more: boolean } {
  const count = queue.pending + queue.leased;
  return { count, more: count + queue.deferred >= MAX_COUNTED };
}

/** The overview with the waiting runs of the queue. Its own count is of another time and ends at 1,000. */
export function withWaitingRuns(overview: Overview, queue: ReviewQueue | undefined): Overview {
  if (queue === undefined) return overview;
  const { count, more } = waitingRuns(queue);
  return { ...overview, reviews: { ...overview.reviews, pending: count, pending_more: more } };
}
