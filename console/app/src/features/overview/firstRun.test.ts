// The first round of the loop.
import { expect, it } from "vitest";
import type { Overview } from "../../api/types";
import { doneSteps, isNew } from "./firstRun";

const nothing: Overview = {
  as_of: "2026-11-15T12:00:00Z",
  traces: { last_24h: 0, last_7d: 0, more: false },
  reviews: { runs: 0, reviewed: 0, share: null, pending: 0, pending_more: false, oldest_pending: null },
  reflections: { made: 0, failed: 0, queued: 0 },
  memories_used: { runs: 0, with_memories: 0, share: null },
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

it("goes on step by step, and a later step means the earlier ones", () => {
  const steps = [nothing, run, reviewed, learned].map((data) => [...doneSteps(data, unseen)]);
  expect(steps).toEqual([[], ["key", "run"], ["key", "run", "review"], ["key", "run", "review", "memory"]]);
  expect([...doneSteps(nothing, { ...unseen, hasKey: true })]).toEqual(["key"]);
});

it("ends when somebody saw the memory being used, or a run used it", () => {
  expect(isNew(learned, unseen)).toBe(true);
  expect(isNew(learned, { ...unseen, lookedAtUse: true })).toBe(false);
  const used = { ...learned, memories_used: { runs: 2, with_memories: 1, share: 0.5 } };
  expect(isNew(used, unseen)).toBe(false);
});

it("does not end by a look before there is a memory", () => {
  expect(isNew(reviewed, { ...unseen, lookedAtUse: true })).toBe(true);
});

it("is not for projects with many runs, nor for quiet ones that have learned", () => {
  expect(isNew({ ...nothing, reviews: { ...nothing.reviews, runs: 20, pending: 20 } }, unseen)).toBe(false);
  expect(isNew({ ...nothing, newest_memories: [memory] }, unseen)).toBe(false);
});
