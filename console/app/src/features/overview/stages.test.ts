// The weakest stage.
import { expect, it } from "vitest";
import type { Overview } from "../../api/types";
import { weakest } from "./stages";

const turning: Overview = {
  as_of: "2026-11-15T12:00:00Z",
  traces: { last_24h: 10, last_7d: 100, more: false },
  reviews: { runs: 100, reviewed: 60, share: 0.6, pending: 40, pending_more: false, oldest_pending: null },
  reflections: { made: 60, failed: 0, queued: 0 },
  memories_used: { runs: 100, with_memories: 70, share: 0.7 },
  lessons: 1,
  situations: 1,
  success_by_day: [],
  newest_memories: [
    { id: "m", task: "", summary: "", origin: "review", success: true, created_at: "2026-11-15T12:00:00Z" },
  ],
  failures: [],
};

it("is null while all stages are healthy", () => {
  expect(weakest(turning)).toBeNull();
});

it("is the first weak stage in the order of the loop", () => {
  const idle = { ...turning, traces: { last_24h: 0, last_7d: 0, more: false } };
  const unread = { ...turning, reviews: { ...turning.reviews, reviewed: 10, share: 0.1 } };
  const failing = { ...turning, reflections: { made: 20, failed: 5, queued: 0 } };
  const unused = { ...turning, memories_used: { runs: 100, with_memories: 5, share: 0.05 } };
  expect([idle, unread, failing, unused].map(weakest)).toEqual([
    "traces",
    "reviews",
    "reflections",
    "memories",
  ]);
  expect(weakest({ ...unused, ...failing, memories_used: unused.memories_used })).toBe("reflections");
});

it("ignores shares of too few runs", () => {
  const few = { ...turning, memories_used: { runs: 5, with_memories: 0, share: 0 } };
  expect(weakest(few)).toBeNull();
});
