/** Sends one HTTP request with `fetch`. */

import type { Fetch } from "../types.js";

/** One HTTP request. `path` begins with a slash and is encoded already. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An HTTP response. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Where requests go. */
export interface Address {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
}

/** There was no response. */
export class Unreachable extends Error {
  declare readonly timedOut: boolean;

  constructor(reason: string, timedOut: boolean, cause?: unknown) {
    super(reason, { cause });
    this.timedOut = timedOut;
  }
}

/**
 * Sends a request and reads the whole response. Throws `Unreachable` on a network error and after `timeout`
 * milliseconds; if the caller's signal is aborted, throws its reason.
 */
export async function send(
  address: Address,
  request: HttpRequest,
  timeout: number,
  signal?: AbortSignal,
): Promise<Answer> {
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(Math.ceil(timeout));
  try {
    const response = await address.fetch(address.baseUrl + request.path, {
      method: request.method,
      headers: headersOf(address, request),
      body: (request.body ?? null) as BodyInit | null,
      redirect: "manual",
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
    });
    const { status, headers } = response;
    return { status, headers, body: await response.text() };
  } catch (error) {
    signal?.throwIfAborted();
    const { aborted } = limit;
    throw new Unreachable(
      aborted ? `no complete response in ${Math.ceil(timeout)} ms` : reasonOf(error),
      aborted,
      error,
    );
  }
}

function headersOf({ apiKey }: Address, { path, body, headers }: HttpRequest): Record<string, string> {
  return {
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    // The other paths need no key.
    ...(path.startsWith("/v1/") ? { authorization: `Bearer ${apiKey}` } : {}),
    ...headers,
  };
}

/** `fetch` puts the reason of a failure into the cause of its error. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  // With several addresses of a host, the cause has an error for each, and an empty message.
  return [message ?? String(error), cause?.message || cause?.code].filter(Boolean).join(": ");
}
