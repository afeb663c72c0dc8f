// The onboarding steps.
import { expect, it } from "vitest";
import type { Overview } from "../../api/types";
import { doneSteps, isOnboarding } from "./onboarding-progress";

const nothing: Overview = {
  as_of: "2026-11-15T12:00:00Z",
  traces: { last_24h: 0, last_7d: 0, more: false },
  reviews: { runs: 0, reviewed: 0, share: null, pending: 0, pending_more: false, oldest_pending: null },
  reflections: { made: 0, failed: 0, queued: 0 },
  memories_used: { runs: 0, with_memories: 0, share: null },
  lessons: 0,
  situations: 0,
  success_by_day: [],
  newest_memories: [],
  failures: [],
};
const memory = {
  id: "m",
  task: "",
  summary: "",
  origin: "review" as const,
  success: true,
  created_at: "2026-11-15T12:00:00Z",
};
const unseen = { hasKey: false, lookedAtUse: false };
const run: Overview = { ...nothing, reviews: { ...nothing.reviews, runs: 1, pending: 1 } };
const reviewed: Overview = { ...run, reviews: { ...run.reviews, reviewed: 1, pending: 0 } };
const learned: Overview = { ...reviewed, newest_memories: [memory] };

it("marks steps as done, and a later step implies the earlier ones", () => {
  const steps = [nothing, run, reviewed, learned].map((data) => [...doneSteps(data, unseen)]);
  expect(steps).toEqual([[], ["key", "run"], ["key", "run", "review"], ["key", "run", "review", "memory"]]);
  expect([...doneSteps(nothing, { ...unseen, hasKey: true })]).toEqual(["key"]);
});

it("ends when the user opened the retrieval of the memory, or a run used it", () => {
  expect(isOnboarding(learned, unseen)).toBe(true);
  expect(isOnboarding(learned, { ...unseen, lookedAtUse: true })).toBe(false);
  const used = { ...learned, memories_used: { runs: 2, with_memories: 1, share: 0.5 } };
  expect(isOnboarding(used, unseen)).toBe(false);
});

it("does not end before there is a memory", () => {
  expect(isOnboarding(reviewed, { ...unseen, lookedAtUse: true })).toBe(true);
});

it("is not shown for projects with many runs, nor for idle ones with memories", () => {
  expect(isOnboarding({ ...nothing, reviews: { ...nothing.reviews, runs: 20, pending: 20 } }, unseen)).toBe(
    false,
  );
  expect(isOnboarding({ ...nothing, newest_memories: [memory] }, unseen)).toBe(false);
});
