// The onboarding steps: which are done, and whether onboarding is still active.
import type { Overview } from "../../api/types";

export type Step = "key" | "run" | "review" | "memory" | "use";
export const STEPS: readonly Step[] = ["key", "run", "review", "memory", "use"];

/**
 * A project with at least this many runs is no longer new, even if a step is missing. The overview then shows
 * what is missing.
 */
const MAX_NEW_RUNS = 20;

/** State that the server does not know. */
export type ClientFacts = {
  /** Whether there is a working key; false for members who may not list keys. */
  hasKey: boolean;
  /** Whether the user has opened the retrieval of the first memory. */
  lookedAtUse: boolean;
};

export function doneSteps(data: Overview, seen: ClientFacts): ReadonlySet<Step> {
  const memory = data.newest_memories.length > 0;
  const review = memory || data.reviews.reviewed > 0;
  const run = review || data.reviews.runs > 0 || data.reviews.pending > 0;
  const use = seen.lookedAtUse || data.memories_used.with_memories > 0;
  const done: Record<Step, boolean> = { key: seen.hasKey || run, run, review, memory, use: memory && use };
  return new Set(STEPS.filter((step) => done[step]));
}

/** Whether the onboarding checklist replaces the overview. */
export function isOnboarding(data: Overview, seen: ClientFacts): boolean {
  if (data.reviews.runs >= MAX_NEW_RUNS || data.reviews.pending >= MAX_NEW_RUNS) return false;
  // An idle project is not new: it has memories, and there were no runs for a week.
  if (data.reviews.runs === 0 && data.newest_memories.length > 0) return false;
  return doneSteps(data, seen).size < STEPS.length;
}
