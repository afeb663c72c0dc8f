/** The client against a real server. `tools/test.mjs` starts it and sets the variables of the environment. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { sendFeedback } from "../../src/calls/feedback.js";
import { signalsOf } from "../../src/calls/signals.js";
import { ReflectClient, type ClientOptions } from "../../src/index.js";
import { diskSpool } from "../../src/node/index.js";

const FAILING_TASK = process.env["REFLECT_FAILING_TASK"]!;

/** A client on a project that no other test uses. */
function newClient(options: ClientOptions = {}): ReflectClient {
  return new ReflectClient({ projectId: `live ${crypto.randomUUID()}`, ...options });
}

/** Stores a run and returns its id. */
async function storedRun(client: ReflectClient, task: string): Promise<string> {
  const answer = [{ role: "assistant", content: `I did: ${task}` }];
  const { id } = await client.traces.create({ task, trajectory: answer, metadata: { order_id: 7 } });
  return id;
}

test("a failed run becomes a memory that the next run of the task is given", async () => {
  const client = newClient();
  const task = "Refund order 1182, which arrived broken";
  await client.trace(
    task,
    (run) => {
      assert.deepEqual(run.memories, []);
      run.step("user", run.augmentedTask);
      run.tool("find_order", { id: 1182 }, { status: "delivered" });
      run.step("assistant", "Refunded twice.");
      run.review("fail", "Check whether the order was refunded before.");
    },
    { blocking: true, metadata: { order_id: 1182 } },
  );
  await client.trace(task, async (run) => {
    assert.equal(run.memories.length, 1);
    assert.ok(run.augmentedTask.startsWith(task) && run.augmentedTask.length > task.length);
    assert.equal(run.memories[0]!.metadata["order_id"], 1182);
    const receipt = await client.retrievals.get(run.retrievalId!);
    assert.deepEqual(
      receipt.considered.map(({ memoryId }) => memoryId),
      run.memoryIds,
    );
    run.setOutput({ trajectory: [{ role: "assistant", content: "Refunded once." }], result: "pass" });
  });
  const [newest, first] = await client.traces.list().toArray();
  assert.equal(newest!.review?.result, "pass");
  assert.equal(newest!.link, "receipt");
  assert.deepEqual(first!.trajectory[1], {
    role: "assistant",
    content: "",
    tool_calls: [{ name: "find_order", arguments: { id: 1182 } }],
  });
  assert.equal(first!.createdMemoryId, newest!.linkedMemoryIds[0]);
  assert.deepEqual(client.delivery.dropped, {});
});

test("a run is stored once, however often it is sent", async () => {
  const client = newClient();
  const traceId = client.traces.enqueue({ task: "t", trajectory: "text" });
  await client.flush();
  await client.traces.create({ task: "t", trajectory: "text", traceId });
  assert.equal((await client.traces.list().toArray()).length, 1);
  const other = client.traces.create({ task: "another", trajectory: "text", traceId });
  await assert.rejects(other, { code: "idempotency_key_reused" });
});

test("reviews are created, replaced, withdrawn, and given in bulk", async () => {
  const client = newClient();
  const id = await storedRun(client, "Cancel order 1177");
  const reviewed = await client.reviews.create(id, { result: "failure", feedbackText: "It had shipped." });
  assert.deepEqual([reviewed.review?.result, reviewed.reviewStatus], ["fail", "reviewed"]);
  await assert.rejects(client.reviews.create(id, { result: "pass" }), { name: "ConflictError" });
  assert.equal((await client.reviews.replace(id, { result: "pass" })).review?.result, "pass");
  assert.equal((await client.reviews.withdraw(id)).review ?? null, null);
  const ids = await Promise.all(["a", "b", "c"].map((task) => storedRun(client, task)));
  const [good, wrong] = await client.reviews.batch([
    { traceId: ids[0]!, result: "pass" },
    { traceId: crypto.randomUUID(), result: "pass" },
  ]);
  assert.equal("error" in good!, false);
  assert.ok("error" in wrong! && wrong.error.code === "not_found");
  const bulk = await client.reviews.bulk({ traceIds: ids.slice(1), result: "pass", dryRun: true });
  assert.deepEqual([bulk.dryRun, bulk.traces], [true, 2]);
});

test("memories are written, found, corrected, undone and deleted", async () => {
  const client = newClient();
  const lesson = await client.memories.create({
    task: "Post the invoice",
    result: "fail",
    guidance: "Use a padded envelope.",
  });
  const { createdMemoryId } = await client.traces.wait(lesson.id, { requireReviewed: true });
  const [found] = await client.memories.search("envelope");
  assert.equal(found!.id, createdMemoryId);
  const edited = await client.memories.edit(found!.id, {
    guidance: "Use a plain envelope.",
    version: found!.version,
  });
  assert.equal(edited.memory.guidance, "Use a plain envelope.");
  assert.equal((await client.memories.get(found!.id)).versions.length, 2);
  assert.equal((await client.memories.disable(found!.id)).memory.status, "disabled");
  assert.deepEqual(await client.memories.query("Post the invoice"), []);
  const [action] = await client.actions.list().toArray();
  await client.actions.undo(action!.id);
  const [served] = await client.memories.query("Post the invoice", { limit: 1 });
  assert.equal(served!.correctAction, "");
  assert.equal((await client.memories.pin(found!.id)).memory.pinned, true);
  await client.memories.unpin(found!.id);
  const history = await client.memories.history(found!.id);
  assert.ok(history.steps.length > 0);
  const written = await client.memories.write({ task: "Weigh the parcel", guidance: "Use the scale." });
  assert.equal(written.memory.origin, "manual");
  assert.equal((await client.lessons.list().toArray()).length, 2);
  const preview = await client.memories.bulk({
    action: "disable",
    filter: { ids: [found!.id] },
    dryRun: true,
  });
  assert.equal(preview.matched, 1);
  assert.equal((await client.memories.delete(found!.id)).memory.status, "deleted");
  assert.ok((await client.memories.uses(found!.id).toArray()).length >= 0);
});

test("the review queue gives runs out, and a run can be deferred", async () => {
  const client = newClient();
  const id = await storedRun(client, "Look at me");
  assert.equal((await client.queue.status()).pending, 1);
  const { items } = await client.queue.next({ count: 1, leaseSeconds: 60 });
  assert.equal(items[0]!.digest.task, "Look at me");
  assert.equal((await client.queue.lease({ traceIds: [id], release: true })).held.length, 0);
  assert.equal((await client.queue.defer(id, { seconds: 600, note: "later" })).note, "later");
  assert.equal((await client.queue.resume(id)).deferredUntil ?? null, null);
});

test("the project, its keys and its judge", async () => {
  const client = newClient();
  assert.equal((await client.health()).status, "ok");
  await storedRun(client, "first");
  assert.equal((await client.project.update({ holdoutRate: 0.25 })).holdoutRate, 0.25);
  assert.equal((await client.project.get()).holdoutRate, 0.25);
  assert.ok((await client.project.loopHealth()).checks.some(({ check }) => check === "nobody_reviews"));
  assert.match((await client.project.uplift()).message, /holdout/);
  assert.equal((await client.judge.status()).state, "off");
  assert.equal(await client.skills.get(), undefined);
  const { apiKey, key } = await client.keys.create({ label: "reader", scopes: ["memory:read"] });
  const reader = newClient({ apiKey, projectId: client.projectId });
  assert.deepEqual(await reader.memories.query("anything"), []);
  await assert.rejects(reader.traces.create({ task: "t", trajectory: [] }), {
    name: "PermissionDeniedError",
  });
  assert.equal((await client.keys.revoke(key.id)).status, "revoked");
  const labels = (await client.keys.list().toArray()).map(({ label }) => label);
  assert.ok(labels.includes("reader"));
});

test("pages, rows, steps and deletion", async () => {
  const client = newClient();
  const ids = await Promise.all(Array.from({ length: 5 }, (_, index) => storedRun(client, `task ${index}`)));
  assert.equal((await client.traces.list({ limit: 2 }).toArray()).length, 5);
  assert.equal((await client.traces.rows({ limit: 2, q: "task" }).toArray(3)).length, 3);
  const steps = await client.traces.steps(ids[0]!);
  assert.equal(steps.total, 1);
  assert.match((await client.traces.part(ids[0]!, 0)).text, /I did/);
  assert.deepEqual((await client.traces.delete([ids[0]!, crypto.randomUUID()])).traceIds, [ids[0]]);
  await assert.rejects(client.traces.get(ids[0]!), { name: "NotFoundError" });
});

test("a failure of learning is thrown, and can be retried", async () => {
  const client = newClient();
  const run = {
    task: FAILING_TASK,
    trajectory: [{ role: "assistant", content: "x" }],
    review: { result: "fail" as const },
  };
  await assert.rejects(client.traces.createAndWait(run), { name: "IngestFailedError" });
});

test("an invalid key and an invalid value are typed errors with a request id", async () => {
  const client = newClient();
  await assert.rejects(newClient({ apiKey: "rf_live_wrong" }).memories.query("t"), {
    name: "AuthenticationError",
  });
  const error = await client.memories.query("t", { limit: 1000 }).catch((thrown: unknown) => thrown);
  assert.equal((error as Error).name, "UnprocessableError");
  assert.match((error as Error).message, /limit.*\(request id /);
});

test("a spool is empty after its runs were stored", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reflect-live-"));
  try {
    const client = newClient({ spool: diskSpool({ folder }) });
    for (let index = 0; index < 60; index += 1) {
      client.traces.enqueue({ task: `t ${index}`, trajectory: "text" });
    }
    assert.deepEqual(await client.flush(20_000), { sent: 60, pending: 0, spooled: 0, dropped: 0 });
    await client.shutdown();
    assert.equal((await client.traces.list().toArray()).length, 60);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a signal finds the run by its commit and becomes its review", async () => {
  const client = newClient();
  const signals = signalsOf(client);
  // The signals of blind runs are withheld.
  const changed = await client.project.update({
    signals: { blindShare: 0, sources: { my_ci: { precedence: 60 } } },
  });
  assert.deepEqual(changed.signals!.sources, { my_ci: { precedence: 60 } });
  const commit = crypto.randomUUID();
  let traceId = "";
  await client.trace("Round refunds down", (run) => {
    traceId = run.traceId;
    run.setOutput({ trajectory: [{ role: "assistant", content: "Pushed." }], keys: { commit } });
  });
  await client.flush();
  const accepted = await signals.send({
    source: "ci",
    key: { commit },
    outcome: "failure",
    comment: "2 tests failed",
    metadata: { job_id: 7 },
  });
  assert.deepEqual([accepted.status, accepted.traceIds], ["matched", [traceId]]);
  const trace = await client.traces.wait(traceId, { requireReviewed: true });
  assert.deepEqual([trace.review?.result, trace.review?.feedbackText], ["fail", "2 tests failed"]);
  assert.deepEqual(trace.keys, { commit });
  const { signals: listed, withheld } = await signals.list(traceId);
  assert.equal(withheld, 0);
  assert.deepEqual(
    listed.map(({ source, meaning, key, metadata }) => ({ source, meaning, key, metadata })),
    [{ source: "ci", meaning: "decides", key: { name: "commit", value: commit }, metadata: { job_id: 7 } }],
  );
  const [first] = (await signals.sources()).sources;
  assert.equal(first!.source, "my_ci");
});

test("signals are sent together, and one that is repeated is stored once", async () => {
  const client = newClient();
  const id = await storedRun(client, "Post the letter");
  const once = { source: "merge", traceId: id, outcome: "pass", idempotencyKey: "merged" } as const;
  const [one, again, wrong] = await signalsOf(client).batch([
    once,
    once,
    { source: "evaluation", traceId: id, score: 2 },
  ]);
  assert.ok("id" in one! && "id" in again! && one.id === again.id);
  assert.ok("error" in wrong! && wrong.error.code === "invalid_request");
});

test("a user votes with a token, without a key", async () => {
  const client = newClient();
  await client.project.update({ signals: { blindShare: 0 } });
  const id = await storedRun(client, "Refund order 1182");
  const { baseUrl } = client;
  const { token } = await signalsOf(client).createFeedbackToken(id, { expiresInSeconds: 600 });
  await sendFeedback({ baseUrl, token, outcome: "pass" });
  await sendFeedback({ baseUrl: `${baseUrl}/`, token, outcome: "fail", comment: "The amount is wrong." });
  const { signals } = await signalsOf(client).list(id);
  assert.deepEqual(
    signals.map(({ source, result, byFeedbackToken }) => [source, result, byFeedbackToken]),
    [["user", "fail", true]],
  );
  await assert.rejects(sendFeedback({ baseUrl, token: "rff_none", outcome: "pass" }), {
    name: "FeedbackError",
    status: 401,
    code: "feedback_token_invalid",
  });
});
