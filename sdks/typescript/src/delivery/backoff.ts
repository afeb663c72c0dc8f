/** The health of the server, and the pause after failures. Times are in milliseconds. */

import { jitter } from "../wire/retry.js";

/**
 * The result of the last attempt: `busy` responds with a temporary error, `down` does not respond, `refusing` rejects
 * the client, for example because of an invalid key, which the user has to fix.
 */
export type Health = "good" | "busy" | "down" | "refusing";

const MAX_RETRY_AFTER = 60_000;
export const REFUSED_PAUSE = 30_000;

/** Counts consecutive failures and computes the pause after each. */
export class Backoff {
  health: Health = "good";
  notBefore = 0;
  #failures = 0;

  /** Whether the server is unlikely to recover within seconds. */
  get unavailable(): boolean {
    return this.health === "down" || this.health === "refusing";
  }

  /** An attempt succeeded. */
  reset(): void {
    this.health = "good";
    this.notBefore = 0;
    this.#failures = 0;
  }

  /** An attempt failed; `retryAfter` is the server's value, if any. */
  recordFailure(health: Health, now: number, retryAfter = 0): void {
    this.health = health;
    if (health === "refusing") {
      this.notBefore = now + REFUSED_PAUSE;
      return;
    }
    this.notBefore = now + Math.max(jitter(this.#failures), Math.min(retryAfter, MAX_RETRY_AFTER));
    this.#failures += 1;
  }
}
