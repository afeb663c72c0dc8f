// What went wrong with a call, as a sentence for the person at the screen.

type ErrorBody = { error?: { code?: string; message?: string; request_id?: string } };

/** A call that was answered with a refusal, or not at all. */
export class CallFailed extends Error {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;

  constructor(status: number, code: string, message: string, requestId?: string) {
    super(message);
    this.name = "CallFailed";
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }

  /** Whether the same call may succeed later without anybody doing anything. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  get signedOut(): boolean {
    return this.status === 401;
  }
}

/** The failure that an answer tells of. */
export function failureOf(status: number, body: unknown): CallFailed {
  const error = (typeof body === "object" && body !== null ? (body as ErrorBody).error : undefined) ?? {};
  const code = error.code ?? "unknown";
  return new CallFailed(status, code, sentence(status, code, error.message), error.request_id);
}

/** The failure of a call that got no answer. */
export function unreachable(): CallFailed {
  return new CallFailed(0, "unreachable", "The server does not answer. What you did is kept and sent again.");
}

function sentence(status: number, code: string, message: string | undefined): string {
  if (code === "missing_scope") return "Your role does not allow this. Ask an admin of this installation.";
  if (code === "cross_site") return "The server took this for a request from another site. Reload the page.";
  if (code === "overloaded" || code === "unavailable") return "The server is busy or its database is away.";
  if (status === 401) return "Your session has ended. Sign in again.";
  if (status >= 500) return `The server failed: ${message ?? `status ${status}`}.`;
  return message === undefined ? `The server answered with status ${status}.` : asSentence(message);
}

function asSentence(message: string): string {
  const capital = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** Any thrown thing as words. */
export function words(thrown: unknown): string {
  if (thrown instanceof CallFailed) return thrown.message;
  return thrown instanceof Error ? asSentence(thrown.message) : "Something went wrong.";
}
