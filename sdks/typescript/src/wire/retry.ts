/** The retry policy: when to retry and how long to wait. Times are in milliseconds. */

import type { Answer } from "./http.js";

const FIRST_WAIT = 500;
const MAX_WAIT = 8_000;
const MAX_RETRY_AFTER = 60_000;

/** Whether a request with this outcome may be repeated. An outcome without an answer is a network error. */
export function mayRetry(answer: Answer | undefined): boolean {
  return answer === undefined || /^(408|425|429|50[0234])$/.test(`${answer.status}`);
}

/** Whether a status says that the server may recover. */
export function isTemporary(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

/**
 * The wait before retry number `attempt` (1 is the first retry): the server's `Retry-After` if present, else
 * exponential backoff with full jitter, which spreads the retries of clients that failed at the same time.
 */
export function waitBefore(attempt: number, answer: Answer | undefined): number {
  const asked = answer === undefined ? undefined : retryAfter(answer);
  return asked === undefined ? jitter(attempt - 1) : Math.min(asked, MAX_RETRY_AFTER);
}

/** A random wait whose bound doubles with every failure. */
export function jitter(failures: number): number {
  return Math.random() * Math.min(MAX_WAIT, FIRST_WAIT * 2 ** Math.min(failures, 16));
}

/** The value of `Retry-After-Ms` or `Retry-After` in milliseconds. */
export function retryAfter({ headers }: Answer): number | undefined {
  const exact = headers.get("retry-after-ms");
  const text = headers.get("retry-after") ?? "";
  const seconds = Number(text || NaN);
  const wait = exact ? Number(exact) : seconds ? seconds * 1000 : Date.parse(text) - Date.now();
  // A date in the past, or no number.
  return wait > 0 ? wait : Number.isNaN(wait) ? undefined : 0;
}
