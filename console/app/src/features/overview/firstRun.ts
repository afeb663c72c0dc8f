// The first round of the loop: which of its steps are done, and whether it is still going on.
import type { Overview } from "../../api/types";

export type Step = "key" | "run" | "review" | "memory" | "use";
export const STEPS: readonly Step[] = ["key", "run", "review", "memory", "use"];

/** From so many runs on a project is no longer new, whatever is missing; the strip then says what. */
const NEW_RUNS = 20;

/** What the server does not know. */
export type Seen = {
  /** Whether there is a key that works; unknown to those who may not list them. */
  hasKey: boolean;
  /** Whether somebody looked at how the first memory is used. */
  lookedAtUse: boolean;
};

/** The steps that are done. */
export function doneSteps(data: Overview, seen: Seen): ReadonlySet<Step> {
  const memory = data.newest_memories.length > 0;
  const review = memory || data.reviews.reviewed > 0;
  const run = review || data.reviews.runs > 0 || data.reviews.pending > 0;
  const use = seen.lookedAtUse || data.memories_used.with_memories > 0;
  const done: Record<Step, boolean> = { key: seen.hasKey || run, run, review, memory, use: memory && use };
  return new Set(STEPS.filter((step) => done[step]));
}

/** Whether the checklist stands in the place of the page. */
export function isNew(data: Overview, seen: Seen): boolean {
  if (data.reviews.runs >= NEW_RUNS || data.reviews.pending >= NEW_RUNS) return false;
  // Quiet, and not new: it has learned something and nothing happened for a week.
  if (data.reviews.runs === 0 && data.newest_memories.length > 0) return false;
  return doneSteps(data, seen).size < STEPS.length;
}
