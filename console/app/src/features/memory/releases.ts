// Who released a memory from quarantine.
import type { HistoryStep } from "../../api/memories";

/** Members whose release was not undone, oldest first. */
export function activeReleases(steps: readonly HistoryStep[]): { actor: string; at: string }[] {
  return steps.flatMap(({ at, care }) =>
    care != null && care.facet === "quarantined" && care.after === false && !care.undone
      ? [{ actor: care.actor, at }]
      : [],
  );
}
