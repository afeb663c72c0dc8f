// Measures the time from one verdict to the next.
import type { Change } from "./session";

/** Longer pauses count as this much. */
const MAX_PAUSE_MS = 120_000;

export class VerdictTimer {
  #seconds = 0;
  #since: number | null = null;

  record(change: Change): void {
    const now = performance.now();
    const isVerdict = change.kind === "decided" && (change.decision === "pass" || change.decision === "fail");
    if (isVerdict && this.#since !== null) this.#seconds += Math.min(MAX_PAUSE_MS, now - this.#since) / 1000;
    if (isVerdict || this.#since === null) this.#since = now;
  }

  /** The average in seconds; null without verdicts. */
  average(verdicts: number): number | null {
    return verdicts === 0 ? null : this.#seconds / verdicts;
  }
}
