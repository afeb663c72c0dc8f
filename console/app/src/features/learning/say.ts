// What the comparison of runs with and without memories says, in a few words.
import type { Schemas } from "../../api/types";

type Uplift = Schemas["Uplift"];

/** The headline. Only runs that were held back by lot show what memories do. */
export function headline(uplift: Uplift): string {
  const { difference } = uplift;
  if (difference == null) return "Cannot tell yet";
  if (!uplift.causal) return "Not known: nothing was held back";
  if (!uplift.settled) return "Cannot tell yet";
  return difference.value > 0 ? "Memories help" : "Memories do harm";
}

/** A share as points with a sign: 0.15 is `+15.0`. */
export function points(value: number): string {
  const said = Math.abs(value * 100).toFixed(1);
  return `${value < 0 && said !== "0.0" ? "−" : "+"}${said}`;
}

/** A scale that has both ends of the interval and the middle on it, in steps of 10 points. */
export function scaleOf(difference: { low: number; high: number }): [number, number] {
  const far = Math.max(Math.abs(difference.low), Math.abs(difference.high), 0.1);
  const end = Math.min(1, Math.ceil(far * 10 - 1e-9) / 10);
  return [-end, end];
}
