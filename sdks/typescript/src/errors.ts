/**
 * The errors of this package. Every one is a `ReflectError`.
 *
 *     try {
 *       await client.traces.createAndWait({ task, trajectory, review: { result: "pass" } });
 *     } catch (error) {
 *       if (error instanceof RateLimitError) console.log("try again in", error.retryAfter);
 *     }
 */

/** What an error carries. */
export interface ErrorDetails {
  hint?: string | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/** The base of all errors. `hint` says how to fix the problem, `requestId` identifies the request in the server's log. */
export class ReflectError extends Error {
  override name = "ReflectError";
  declare readonly hint: string | undefined;
  declare readonly requestId: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    const { hint, requestId, cause } = details;
    const text = [message, hint, requestId && `(request id ${requestId})`].filter(Boolean).join(" ");
    super(text, cause === undefined ? undefined : { cause });
    this.hint = hint;
    this.requestId = requestId;
  }
}

/** The client's configuration is invalid, for example the API key is missing. */
export class ConfigurationError extends ReflectError {
  override name = "ConfigurationError";
}

/** An argument is invalid, for example an empty task. Nothing was sent. */
export class InvalidArgumentError extends ReflectError {
  override name = "InvalidArgumentError";
}

/** An argument or a field of a review has an unknown name; the message has the known ones. Nothing was sent. */
export class UnknownFieldError extends InvalidArgumentError {
  override name = "UnknownFieldError";
}

/** The result of a review is not one of pass, fail, success, failure. */
export class InvalidReviewResultError extends InvalidArgumentError {
  override name = "InvalidReviewResultError";
}

/** A run was changed or reviewed after it had ended. Use `client.reviews.create` then. */
export class RunEndedError extends ReflectError {
  override name = "RunEndedError";
}

/** The client's mask threw an error, so nothing was sent. `cause` is that error. */
export class MaskError extends ReflectError {
  override name = "MaskError";
}

/** The server could not be reached, or the connection broke. */
export class APIConnectionError extends ReflectError {
  override name = "APIConnectionError";
}

/** The server did not answer in time. */
export class APITimeoutError extends APIConnectionError {
  override name = "APITimeoutError";
}

/** What an error response carries. */
export interface StatusDetails extends ErrorDetails {
  status: number;
  code?: string | undefined;
  body?: unknown;
  retryAfter?: number | undefined;
}

/** The server answered with an error: the HTTP `status`, the server's error `code`, the response `body`. */
export class APIStatusError extends ReflectError {
  override name = "APIStatusError";
  declare readonly status: number;
  declare readonly code: string | undefined;
  declare readonly body: unknown;
  /** Milliseconds to wait before another attempt, if the server says so. */
  declare readonly retryAfter: number | undefined;

  constructor(message: string, details: StatusDetails) {
    super(message, details);
    this.status = details.status;
    this.code = details.code;
    this.body = details.body;
    this.retryAfter = details.retryAfter;
  }
}

/** 400, 413, 415: the request could not be read. */
export class BadRequestError extends APIStatusError {
  override name = "BadRequestError";
}

/** 401: no key, or one that is unknown, revoked or expired. */
export class AuthenticationError extends APIStatusError {
  override name = "AuthenticationError";
}

/** 403: the key lacks a scope. */
export class PermissionDeniedError extends APIStatusError {
  override name = "PermissionDeniedError";
}

/** 404: the object does not exist in this project, or the key has no access to the project. */
export class NotFoundError extends APIStatusError {
  override name = "NotFoundError";
}

/** 409: a review exists already, another trace has the same id, or the trace is not ready yet. */
export class ConflictError extends APIStatusError {
  override name = "ConflictError";
}

/** 422: the request is well-formed but a value is invalid; the message names the field. */
export class UnprocessableError extends APIStatusError {
  override name = "UnprocessableError";
}

/** 429: too many requests. */
export class RateLimitError extends APIStatusError {
  override name = "RateLimitError";
}

/** 500 and above: the server, its database or its provider has failed. */
export class InternalServerError extends APIStatusError {
  override name = "InternalServerError";
}

/** The response is not what a Reflect server sends, for example the HTML of a sign-in page. */
export class InvalidResponseError extends ReflectError {
  override name = "InvalidResponseError";
  declare readonly status: number;
  /** The beginning of the response. */
  declare readonly body: string;

  constructor(message: string, details: ErrorDetails & { status: number; body: string }) {
    super(message, details);
    this.status = details.status;
    this.body = details.body;
  }
}

/** Learning from the review of a trace failed; the message is the server's reason. */
export class IngestFailedError extends ReflectError {
  override name = "IngestFailedError";
}

/** The trace was not processed within the wait timeout. The server continues processing it. */
export class WaitTimeoutError extends ReflectError {
  override name = "WaitTimeoutError";
}
