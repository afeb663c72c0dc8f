// Summarizes the comparison of runs with and without memories.
import type { Schemas } from "../../api/types";

type Uplift = Schemas["Uplift"];

/** The headline. Only a random holdout shows what memories cause. */
export function headline(uplift: Uplift): string {
  const { difference } = uplift;
  if (difference == null) return "Not enough data yet";
  if (!uplift.causal) return "Unknown: no holdout is set";
  if (!uplift.settled) return "Not enough data yet";
  return difference.value > 0 ? "Memories help" : "Memories hurt";
}

/** A share in percentage points with a sign: 0.15 is `+15.0`. */
export function points(value: number): string {
  const digits = Math.abs(value * 100).toFixed(1);
  return `${value < 0 && digits !== "0.0" ? "−" : "+"}${digits}`;
}

/** A scale that contains both ends of the interval and zero, in steps of 10 points. */
export function scaleOf(difference: { low: number; high: number }): [number, number] {
  const far = Math.max(Math.abs(difference.low), Math.abs(difference.high), 0.1);
  const end = Math.min(1, Math.ceil(far * 10 - 1e-9) / 10);
  return [-end, end];
}
