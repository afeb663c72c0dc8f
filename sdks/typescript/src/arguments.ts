/** Checks arguments before anything is sent, so that the stack points to the caller's mistake. */

import { InvalidArgumentError, InvalidReviewResultError, UnknownFieldError } from "./errors.js";
import type { Result } from "./types.js";

const RESULTS: Record<string, "pass" | "fail"> = {
  pass: "pass",
  success: "pass",
  fail: "fail",
  failure: "fail",
};

/** Normalizes a result to `pass` or `fail`. Case is ignored. */
export function checkResult(given: Result): "pass" | "fail" {
  const result = typeof given === "string" ? RESULTS[given.trim().toLowerCase()] : undefined;
  if (result !== undefined) return result;
  throw new InvalidReviewResultError(
    `The result of a review must be pass, fail, success or failure, not ${JSON.stringify(given)}.`,
  );
}

/** The value, if it is a text that is not blank. */
export function requireText(call: string, name: string, value: unknown): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new InvalidArgumentError(`${call}: ${name} must be a text with at least one word.`);
}

/** Throws for a trajectory that is neither messages nor text. */
export function requireTrajectory(call: string, value: unknown): void {
  if (typeof value === "string" || Array.isArray(value)) return;
  throw new InvalidArgumentError(`${call}: trajectory must be a text or messages.`, {
    hint: 'Pass for example [{ role: "assistant", content: "..." }].',
  });
}

/** Throws for feedback without a result: the server stores feedback only in a review. */
export function requireResultFor(
  call: string,
  result: string | undefined,
  feedbackText: string | undefined,
): void {
  if (result !== undefined || !feedbackText) return;
  throw new InvalidArgumentError(`${call}: feedbackText without result would be lost. Pass result too.`);
}

/** Throws for a field that does not exist: a misspelled result must not look like a deferred review. */
export function requireKnownFields(call: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UnknownFieldError(`${call}: there is no field "${unknown}".`, {
    hint: `Fields: ${known.join(", ")}.`,
  });
}
