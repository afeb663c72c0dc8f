// Summarizes the comparison of runs with and without memories.
import type { Schemas } from "../../api/types";
import { signed } from "../../parts/time";
import { t } from "../../texts";

type Uplift = Schemas["Uplift"];

/** The headline. Only a random holdout shows what memories cause. */
export function headline(uplift: Uplift): string {
  const { difference } = uplift;
  const texts = t.learning.uplift;
  if (difference == null) return texts.notEnough;
  if (!uplift.causal) return texts.unknown;
  if (!uplift.settled) return texts.notEnough;
  return difference.value > 0 ? texts.help : texts.hurt;
}

/** What is missing for a result; null if nothing is, or if only a holdout can give one. */
export function missingReviews(uplift: Uplift): string | null {
  const texts = t.learning.uplift;
  if (uplift.difference == null) return texts.needsBoth;
  if (!uplift.causal || uplift.settled) return null;
  const more = uplift.more_held_out_reviews;
  if (more == null) return uplift.reason ?? texts.needsMore;
  return texts.needsHeldOut(more);
}

/** A share in percentage points with a sign: 0.15 is `+15.0`. */
export const points = (value: number): string => signed(value * 100, 1);

/** A scale that contains both ends of the interval and zero, in steps of 10 points. */
export function scaleOf(difference: { low: number; high: number }): [number, number] {
  const far = Math.max(Math.abs(difference.low), Math.abs(difference.high), 0.1);
  const end = Math.min(1, Math.ceil(far * 10 - 1e-9) / 10);
  return [-end, end];
}
