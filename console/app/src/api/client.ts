// The one typed way to the server: the paths of the contract below the console's own door.
import createClient from "openapi-fetch";
import { base } from "./base";
import { CallFailed, failureOf, unreachable } from "./failure";
import type { paths } from "./schema";

export const api = createClient<paths>({
  baseUrl: `${base}/console/api`,
  fetch: sendSafely,
  // Also where there is no body: without it, the server takes a call for one that another site could have made.
  headers: { "Content-Type": "application/json" },
});

/** The same for what the console has to itself: the session, members, projects. */
export const own = createClient<paths>({
  baseUrl: base,
  fetch: sendSafely,
  headers: { "Content-Type": "application/json" },
});

/** What openapi-fetch answers with. */
type Answered<T> = { data?: T; error?: unknown; response: Response };

/** The body of a good answer; anything else is thrown as a sentence. */
export async function body<T>(answer: Promise<Answered<T>>): Promise<T> {
  return (await bodyAndHeaders(answer)).data;
}

/** The same, with the headers, where lists keep their cursor. */
export async function bodyAndHeaders<T>(
  answer: Promise<Answered<T>>,
): Promise<{ data: T; headers: Headers }> {
  const { data, error, response } = await answer;
  if (!response.ok) throw signInIfNeeded(failureOf(response.status, error));
  return { data: data as T, headers: response.headers };
}

async function sendSafely(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (thrown) {
    // A call that we gave up on ourselves is not the server's fault.
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown;
    throw unreachable();
  }
}

function signInIfNeeded(failure: CallFailed): CallFailed {
  if (failure.signedOut) toSignIn();
  return failure;
}

/** Signing in is a page of the server's. */
export function toSignIn(): void {
  location.assign(`${base}/login`);
}
