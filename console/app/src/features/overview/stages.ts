// Finds the weakest stage of the loop.
import type { Overview } from "../../api/types";

export type Stage = "traces" | "reviews" | "reflections" | "memories";

/** Thresholds below which a stage counts as weak, and the minimum number of runs to decide it. */
const ENOUGH_REVIEWED = 0.2;
const ENOUGH_USED = 0.3;
const ENOUGH_RUNS = 20;

/** The first weak stage in the order of the loop, because later stages depend on it. */
export function weakest(data: Overview): Stage | null {
  if (data.traces.last_7d === 0) return "traces";
  const { share, pending } = data.reviews;
  if (
    pending > 0 &&
    (data.reviews.reviewed === 0 ||
      (share != null && data.reviews.runs >= ENOUGH_RUNS && share < ENOUGH_REVIEWED))
  ) {
    return "reviews";
  }
  const { made, failed } = data.reflections;
  if (failed > 0 && failed >= made * 0.05) return "reflections";
  const used = data.memories_used;
  if (
    used.share != null &&
    used.runs >= ENOUGH_RUNS &&
    data.newest_memories.length > 0 &&
    used.share < ENOUGH_USED
  )
    return "memories";
  return null;
}
