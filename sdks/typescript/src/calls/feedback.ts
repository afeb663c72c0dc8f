/**
 * Votes of the users of a chat, from their browser: `reflect-memory/feedback`. It needs no key, only the token that your
 * server has issued for this run with `createFeedbackToken`, and imports nothing.
 *
 *     thumbUp.onclick = () => sendFeedback({ baseUrl: "https://reflect.example", token, outcome: "pass" });
 */

/** A vote on one run. A later vote with the same token replaces an earlier one, at most 5 times. */
export interface Vote {
  /** The server's URL. It must allow the origin of the page (`reflect serve --feedback-origins`). */
  baseUrl: string;
  /** The feedback token of the run. */
  token: string;
  /** `pass` for a thumb up, `fail` for a thumb down. Either this or `score`. */
  outcome?: "pass" | "fail" | undefined;
  /** A score from 0 to 1. */
  score?: number | undefined;
  /** What the user wrote, at most 2000 bytes. Reviewers see it; nothing is learned from it. */
  comment?: string | undefined;
}

/** The server refused a vote. */
export class FeedbackError extends Error {
  override name = "FeedbackError";
  /** 401: the token is not valid or has expired. 404: the run was deleted. 409: changed too often. 429: too many votes. */
  declare readonly status: number;
  /** The server's error code, such as `feedback_token_expired`. */
  declare readonly code: string | undefined;

  constructor(status: number, code: string | undefined) {
    super(`The vote was refused with status ${status}${code ? ` (${code})` : ""}.`);
    this.status = status;
    this.code = code;
  }
}

/** Stores a vote. Throws `FeedbackError` if the server refuses it, and the error of `fetch` if it cannot be reached. */
export async function sendFeedback(vote: Vote, options: { signal?: AbortSignal } = {}): Promise<void> {
  const { baseUrl, ...body } = vote;
  const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/v1/feedback`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    // The vote is sent although the user leaves the page.
    keepalive: true,
    ...options,
  });
  if (response.ok) return;
  const answer = (await response.json().catch(() => null)) as { error?: { code?: string } } | null;
  throw new FeedbackError(response.status, answer?.error?.code);
}
