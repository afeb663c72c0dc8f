/**
 * Says what a response body is when it is not the JSON that a Reflect server sends. A proxy, a sign-in page or another
 * server can answer in place of Reflect with any body and any status.
 */

import type { Answer } from "./http.js";

export const TRUNCATED = "truncated or invalid JSON";

/** A few words for an error message, such as "HTML". */
export function bodyKind({ body, headers }: Answer): string {
  const start = body.slice(0, 1000).trimStart();
  if (start === "") return "an empty body";
  if (/html/i.test(headers.get("content-type") ?? "") || start[0] === "<") return "HTML";
  return /^[{[]/.test(start) ? TRUNCATED : "text";
}

/** What to check when a response is not from Reflect. */
export function proxyHint({ status }: Answer, baseUrl: string): string {
  return status === 413
    ? "A proxy limits the size of requests; in nginx, raise client_max_body_size."
    : `Is a proxy or a sign-in page in front of ${baseUrl}?`;
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON of a body; undefined if it has none. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
