// The count of runs that wait for a review.
import { expect, it } from "vitest";
import type { Overview, ReviewQueue } from "./types";
import { waitingRuns, withWaitingRuns } from "./reviews";

const queue = (more: Partial<ReviewQueue>): ReviewQueue => ({
  pending: 0,
  leased: 0,
  deferred: 0,
  reviewed_today: 0,
  ...more,
});

it("counts skipped and leased runs, but no deferred ones", () => {
  expect(waitingRuns(queue({ pending: 6, leased: 3, deferred: 1 }))).toEqual({ count: 9, more: false });
});

it("says that there are more runs than the server counts", () => {
  expect(waitingRuns(queue({ pending: 9_999, deferred: 1 })).more).toBe(true);
});

it("gives the overview the count of the queue", () => {
  const overview = { reviews: { pending: 10, pending_more: false, reviewed: 2 } } as Overview;
  expect(withWaitingRuns(overview, queue({ pending: 9, deferred: 1 })).reviews).toMatchObject({
    pending: 9,
    reviewed: 2,
  });
  expect(withWaitingRuns(overview, undefined)).toBe(overview);
});
