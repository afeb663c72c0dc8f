/** Maps HTTP and network errors to typed errors with hints. */

import * as errors from "../errors.js";
import { bodyKind, isObject, jsonOf, proxyHint } from "./body-kind.js";
import type { Answer, Unreachable } from "./http.js";
import { retryAfter } from "./retry.js";

const BY_STATUS: Record<number, typeof errors.APIStatusError> = {
  400: errors.BadRequestError,
  401: errors.AuthenticationError,
  403: errors.PermissionDeniedError,
  404: errors.NotFoundError,
  409: errors.ConflictError,
  413: errors.BadRequestError,
  415: errors.BadRequestError,
  422: errors.UnprocessableError,
  429: errors.RateLimitError,
};

const HINTS: Record<number, string> = {
  401: "Check REFLECT_API_KEY, or the apiKey of the client.",
  403: "Use a key with that scope.",
};

const MAX_TEXT = 2000;

/** The error for a response with an error status. */
export function statusError(answer: Answer, call: string, baseUrl: string): errors.APIStatusError {
  const { status, headers } = answer;
  const body = jsonOf(answer.body);
  const { code, message } = (isObject(body) && isObject(body["error"]) ? body["error"] : {}) as Record<
    string,
    unknown
  >;
  const isOurs = code !== undefined && message !== undefined;
  const kind = BY_STATUS[status] ?? (status >= 500 ? errors.InternalServerError : errors.APIStatusError);
  const location = headers.get("location");
  const text = isOurs
    ? `${String(message).slice(0, MAX_TEXT)} [${String(code)}]`
    : location
      ? `the server redirects to ${location.slice(0, 200)}`
      : `the response is ${body === undefined ? bodyKind(answer) : "other JSON"}, not an error of a Reflect server`;
  return new kind(`${call}: ${status} ${text}.`, {
    ...detailsOf(answer),
    code: isOurs ? String(code) : undefined,
    body: body ?? answer.body.slice(0, MAX_TEXT),
    retryAfter: retryAfter(answer),
    hint: isOurs
      ? HINTS[status]
      : location
        ? "Set baseUrl to the final address."
        : proxyHint(answer, baseUrl),
  });
}

/** The error for a request without a response. */
export function connectionError(
  cause: Unreachable,
  call: string,
  baseUrl: string,
): errors.APIConnectionError {
  const { message, timedOut } = cause;
  if (timedOut) {
    return new errors.APITimeoutError(`${call}: no response from ${baseUrl} in time (${message}).`, {
      hint: "Is the server overloaded? Else increase `timeout`.",
      cause,
    });
  }
  return new errors.APIConnectionError(`${call}: cannot reach ${baseUrl} (${message}).`, {
    hint: "Check that the server is running and that baseUrl is correct.",
    cause,
  });
}

/** The error for a response that is not from a Reflect server. */
export function invalidResponse(
  answer: Answer,
  call: string,
  baseUrl: string,
  why: string,
): errors.InvalidResponseError {
  const text = `${call}: the response from ${baseUrl} (status ${answer.status}) is not valid: ${why}.`;
  const body = answer.body.slice(0, MAX_TEXT);
  return new errors.InvalidResponseError(text, {
    ...detailsOf(answer),
    body,
    hint: proxyHint(answer, baseUrl),
  });
}

function detailsOf({ status, headers }: Answer): { status: number; requestId: string | undefined } {
  return { status, requestId: headers.get("x-request-id") ?? undefined };
}
