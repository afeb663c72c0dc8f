// Converts a failed call into a message for the user.
import { t } from "../texts";

/** A part of a filter text, in Unicode characters. The end is exclusive. */
type Range = { start: number; end: number };
type ErrorBody = {
  error?: { code?: string; message?: string; request_id?: string; position?: Range | null };
};

/** A call that was rejected or got no response. */
export class ApiError extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** The invalid part of a filter text. */
  readonly position: Range | null;

  constructor(status: number, code: string, message: string, requestId?: string, position?: Range | null) {
    super(message);
    this.name = "CallFailed";
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.position = position ?? null;
  }

  /** Whether the same call may succeed later without user action. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  get signedOut(): boolean {
    return this.status === 401;
  }
}

const INVALID_FILTER = "invalid_filter";

/** Whether the server rejected a filter text. */
export const isInvalidFilter = (thrown: unknown): boolean =>
  thrown instanceof ApiError && thrown.code === INVALID_FILTER;

/** The invalid part of a filter text; null for any other error. */
export const invalidRange = (thrown: unknown): Range | null =>
  thrown instanceof ApiError && isInvalidFilter(thrown) ? thrown.position : null;

/** The failure described by a response. */
export function errorOf(status: number, body: unknown): ApiError {
  const error = (typeof body === "object" && body !== null ? (body as ErrorBody).error : undefined) ?? {};
  const code = error.code ?? "unknown";
  return new ApiError(
    status,
    code,
    messageFor(status, code, error.message),
    error.request_id,
    error.position,
  );
}

/** The failure of a call that got no response. */
export function noResponse(): ApiError {
  return new ApiError(0, "unreachable", t.shell.errors.noResponse);
}

function messageFor(status: number, code: string, message: string | undefined): string {
  const { errors: texts } = t.shell;
  if (code === "missing_scope") return texts.missingScope;
  if (code === "cross_site") return texts.crossSite;
  if (code === "overloaded" || code === "unavailable") return texts.busy;
  if (status === 401) return texts.signedOut;
  if (status >= 500) return message === undefined ? texts.failedStatus(status) : texts.failed(message);
  // The message starts with the name of the parameter, which users of the console do not know.
  if (code === INVALID_FILTER && message !== undefined) return asSentence(message.replace(/^q: /, ""));
  return message === undefined ? texts.status(status) : asSentence(message);
}

function asSentence(message: string): string {
  const capital = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** Converts any thrown value into a message. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof ApiError) return thrown.message;
  return thrown instanceof Error ? asSentence(thrown.message) : t.shell.errors.unknown;
}
