// Sends outbox entries to the server.
import { api, body } from "../../api/client";
import { ApiError } from "../../api/errors";
import { GRACE_SECONDS } from "../../api/reviews";
import { type Entry, Outbox, type SendResult } from "./outbox";

export const outbox = new Outbox(send);

/** The reviews of this tab by trace: undo must not remove a review that replaced ours. */
const sentReviews = new Map<string, string>();

async function send(entry: Entry): Promise<SendResult> {
  try {
    return { kind: "done", learnsAt: await callApi(entry) };
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) return { kind: "later" };
    // After the session expires, the verdict is kept and sent after the next sign-in.
    if (thrown.isTransient || thrown.signedOut) return { kind: "later" };
    if (thrown.status === 409 && entry.mail.kind === "review") return { kind: "conflict" };
    // Nothing to undo: the run is gone, or another reviewer's verdict has replaced ours.
    if ((thrown.status === 404 || thrown.status === 409) && entry.mail.kind === "withdraw") {
      return { kind: "done", learnsAt: null };
    }
    return { kind: "refused", why: thrown.message };
  }
}

async function callApi(entry: Entry): Promise<string | null> {
  const params = { path: { project_id: entry.project, trace_id: entry.trace } };
  const headers = { "Idempotency-Key": entry.id };
  const { mail } = entry;
  if (mail.kind === "withdraw") {
    const review = sentReviews.get(entry.trace);
    const query = review === undefined ? {} : { review_id: review };
    await body(
      api.DELETE("/v1/projects/{project_id}/traces/{trace_id}/review", {
        params: { ...params, query },
        headers,
      }),
    );
    return null;
  }
  if (mail.kind === "defer") {
    const deferral = { seconds: mail.seconds, ...(mail.note === null ? {} : { note: mail.note }) };
    await body(
      api.POST("/v1/projects/{project_id}/traces/{trace_id}/defer", { params, headers, body: deferral }),
    );
    return null;
  }
  const review = {
    result: mail.result,
    feedback_text: mail.feedback,
    replace: mail.replace,
    grace_seconds: GRACE_SECONDS,
  };
  const trace = await body(
    api.POST("/v1/projects/{project_id}/traces/{trace_id}/review", {
      params,
      headers,
      body: review,
    }),
  );
  if (trace.review) sentReviews.set(entry.trace, trace.review.id);
  return trace.review?.learns_at ?? null;
}
