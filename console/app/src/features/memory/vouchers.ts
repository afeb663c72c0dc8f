// Who let a memory out of quarantine.
import type { HistoryStep } from "../../api/memories";

/** Whoever released it and was not undone, oldest first. */
export function vouchers(steps: readonly HistoryStep[]): { actor: string; at: string }[] {
  return steps.flatMap(({ at, care }) =>
    care != null && care.facet === "quarantined" && care.after === false && !care.undone
      ? [{ actor: care.actor, at }]
      : [],
  );
}
