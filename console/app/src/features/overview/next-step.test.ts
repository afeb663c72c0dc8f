// The recommended action.
import { expect, it } from "vitest";
import type { Overview } from "../../api/types";
import { nextStep, stepOf } from "./next-step";

const data: Overview = {
  as_of: "2026-11-15T12:00:00Z",
  traces: { last_24h: 1, last_7d: 1, more: false },
  reviews: { runs: 1, reviewed: 0, share: 0, pending: 1, pending_more: false, oldest_pending: null },
  reflections: { made: 0, failed: 0, queued: 0 },
  memories_used: { runs: 1, with_memories: 0, share: 0 },
  lessons: 1,
  situations: 1,
  success_by_day: [],
  newest_memories: [],
  failures: [],
};
const many = { ...data, reviews: { ...data.reviews, pending: 1000, pending_more: true } };
const none = { ...data, reviews: { ...data.reviews, pending: 0 } };

it("exists for every stage, and for none", () => {
  const stages = ["traces", "reviews", "reflections", "memories", null] as const;
  const idle = { ...none, traces: { last_24h: 0, last_7d: 0, more: false } };
  const failing = { ...none, reflections: { made: 1, failed: 1, queued: 0 } };
  const states = { traces: idle, reviews: none, reflections: failing, memories: none };
  const dataOf = (stage: (typeof stages)[number]) => (stage === null ? none : states[stage]);
  expect(stages.map((stage) => nextStep(dataOf(stage), stage).path)).toEqual([
    "/settings/keys",
    "/review",
    "/traces",
    "/retrieve",
    "/learning",
  ]);
});

it("is a review if no stage is weak and runs are pending", () => {
  expect(nextStep(data, null).label).toBe("Review 1 pending run");
  expect(nextStep(many, null).label).toBe("Review 1,000+ pending runs");
});

it("exists for every counter, also if its stage is healthy", () => {
  const labels = (["traces", "reviews", "reflections", "memories"] as const).map(
    (stage) => stepOf(data, stage).label,
  );
  expect(labels).toEqual(["Open traces", "Review 1 pending run", "Open lessons", "Try a task"]);
  expect(stepOf(none, "reviews").label).toBe("Open review");
});
