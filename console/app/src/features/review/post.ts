// How an entry of the outbox becomes a call.
import { api, body } from "../../api/client";
import { CallFailed } from "../../api/failure";
import { type Entry, GRACE_SECONDS, Outbox, type Sent } from "./outbox";

export const outbox = new Outbox(post);

/** The reviews that this tab gave, by run: undoing one must not undo what somebody put in its place. */
const given = new Map<string, string>();

async function post(entry: Entry): Promise<Sent> {
  try {
    return { kind: "done", learnsAt: await call(entry) };
  } catch (thrown) {
    if (!(thrown instanceof CallFailed)) return { kind: "later" };
    // A session that has ended comes back with the next sign-in, and the verdict is still here.
    if (thrown.mayPass || thrown.signedOut) return { kind: "later" };
    if (thrown.status === 409 && entry.mail.kind === "review") return { kind: "conflict" };
    // Nothing to take back: the run is gone, or somebody else's verdict stands by now.
    if ((thrown.status === 404 || thrown.status === 409) && entry.mail.kind === "withdraw") {
      return { kind: "done", learnsAt: null };
    }
    return { kind: "refused", why: thrown.message };
  }
}

async function call(entry: Entry): Promise<string | null> {
  const params = { path: { project_id: entry.project, trace_id: entry.trace } };
  const headers = { "Idempotency-Key": entry.id };
  const { mail } = entry;
  if (mail.kind === "withdraw") {
    const review = given.get(entry.trace);
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
  if (trace.review) given.set(entry.trace, trace.review.id);
  return trace.review?.learns_at ?? null;
}
