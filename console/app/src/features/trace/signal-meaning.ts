// What a signal means for the review of its run.
import type { Review, TraceSignal } from "../../api/types";
import { isPerson, isSignal } from "../../parts/reviewer";

type Given = Pick<TraceSignal, "meaning" | "result">;
type Reviewed = Pick<Review, "result" | "reviewer"> | null;

export type Meaning =
  | Exclude<TraceSignal["meaning"], "decides">
  /** It is the review, or it soon is. */
  | "review"
  | "next"
  /** A person has reviewed the run, with the same result or with the other one. */
  | "confirmed"
  | "overruled";

/** The server says what signals mean among each other; people have the last word. */
export function meaningOf(signal: Given, review: Reviewed): Meaning {
  const { meaning, result } = signal;
  if (meaning !== "decides" && meaning !== "agrees" && meaning !== "waits") return meaning;
  const reviewer = review?.reviewer ?? "";
  if (review !== null && isPerson(reviewer)) return review.result === result ? "confirmed" : "overruled";
  if (meaning !== "decides") return meaning;
  return review !== null && isSignal(reviewer) && review.result === result ? "review" : "next";
}
