// What a signal means for the review of its run.
import type { Review, TraceSignal } from "../../api/types";
import { isPerson } from "../../parts/reviewer";

type Given = Pick<TraceSignal, "source" | "meaning" | "result">;
type Reviewed = Pick<Review, "result" | "reviewer"> | null;

export type Meaning =
  | Exclude<TraceSignal["meaning"], "decides">
  /** It is the review, or it soon is. */
  | "review"
  | "next"
  /** Its result is that of the review, which another source or a judge gave. */
  | "matches"
  /** A person has reviewed the run, with the same result or with the other one. */
  | "confirmed"
  | "overruled";

/** The server says what signals mean among each other; people have the last word. */
export function meaningOf(signal: Given, review: Reviewed): Meaning {
  const { source, meaning, result } = signal;
  if (meaning !== "decides" && meaning !== "agrees" && meaning !== "waits") return meaning;
  const reviewer = review?.reviewer ?? "";
  if (review !== null && isPerson(reviewer)) return review.result === result ? "confirmed" : "overruled";
  if (meaning === "waits") return meaning;
  if (review === null || review.result !== result) return meaning === "decides" ? "next" : meaning;
  return meaning === "decides" && reviewer === `signal:${source}` ? "review" : "matches";
}
