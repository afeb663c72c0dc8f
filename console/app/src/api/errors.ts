// Converts a failed call into a message for the user.

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
  return new ApiError(0, "unreachable", "The server does not respond. Your change is kept and sent again.");
}

function messageFor(status: number, code: string, message: string | undefined): string {
  if (code === "missing_scope") return "Your role does not allow this. Ask an admin of this installation.";
  if (code === "cross_site") return "The server rejected this as a cross-site request. Reload the page.";
  if (code === "overloaded" || code === "unavailable")
    return "The server is busy or cannot reach its database.";
  if (status === 401) return "Your session has ended. Sign in again.";
  if (status >= 500) return `The server failed: ${message ?? `status ${status}`}.`;
  // The message starts with the name of the parameter, which users of the console do not know.
  if (code === INVALID_FILTER && message !== undefined) return asSentence(message.replace(/^q: /, ""));
  return message === undefined ? `The server responded with status ${status}.` : asSentence(message);
}

function asSentence(message: string): string {
  const capital = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** Converts any thrown value into a message. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof ApiError) return thrown.message;
  return thrown instanceof Error ? asSentence(thrown.message) : "Something went wrong.";
}
