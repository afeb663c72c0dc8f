// The typed HTTP client: the paths of the API contract below the console's own path prefix.
import createClient from "openapi-fetch";
import { base } from "./base";
import { ApiError, errorOf, noResponse } from "./errors";
import type { paths } from "./schema";

export const api = createClient<paths>({
  baseUrl: `${base}/console/api`,
  fetch: sendSafely,
  // Also sent without a body: without this header the server rejects the call as a possible cross-site request.
  headers: { "Content-Type": "application/json" },
});

/** The same for console-only routes: the session, members, projects. */
export const consoleApi = createClient<paths>({
  baseUrl: base,
  fetch: sendSafely,
  headers: { "Content-Type": "application/json" },
});

/** The result type of openapi-fetch. */
type FetchResult<T> = { data?: T; error?: unknown; response: Response };

/**
 * The body of a successful response. Any other response is thrown as a `CallFailed` with a readable message.
 */
export async function body<T>(answer: Promise<FetchResult<T>>): Promise<T> {
  return (await bodyAndHeaders(answer)).data;
}

/** The same, with the response headers. Lists return their cursor there. */
export async function bodyAndHeaders<T>(
  answer: Promise<FetchResult<T>>,
): Promise<{ data: T; headers: Headers }> {
  const { data, error, response } = await answer;
  if (!response.ok) throw signInIfNeeded(errorOf(response.status, error));
  return { data: data as T, headers: response.headers };
}

async function sendSafely(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (thrown) {
    // A call that we aborted ourselves is not a server failure.
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown;
    throw noResponse();
  }
}

function signInIfNeeded(failure: ApiError): ApiError {
  if (failure.signedOut) goToSignIn();
  return failure;
}

/** The sign-in page is rendered by the server. */
export function goToSignIn(): void {
  location.assign(`${base}/login`);
}

/** The sign-out page is rendered by the server. */
export function goToSignOut(): void {
  location.assign(`${base}/logout`);
}
