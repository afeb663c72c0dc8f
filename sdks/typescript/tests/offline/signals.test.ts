/** Signals are checked before they are sent, and only their words are masked. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { sendFeedback } from "../../src/calls/feedback.js";
import { signalsOf, type NewSignal } from "../../src/calls/signals.js";
import { ReflectClient } from "../../src/index.js";
import { toClient, toContract } from "../../src/wire/names.js";
import { clientOf } from "../support/client.js";
import { FakeServer, refusal, working, type Asked } from "../support/fake-server.js";

const accepted = { id: "s", status: "matched", trace_ids: ["t"] };

test("a signal names one run or key, and one result", async () => {
  await using server = await FakeServer.start();
  const signals = signalsOf(clientOf(server).client);
  const wrong: Record<string, object> = {
    "either traceId, or key": { outcome: "pass" },
    "key with one entry": { outcome: "pass", key: { commit: "a", session: "b" } },
    "Pass for example key": { outcome: "pass", traceId: "t", key: { commit: "a" } },
    "either outcome or score": { traceId: "t" },
    "source must be a text": { source: " ", traceId: "t", outcome: "pass" },
    'no field "coment"': { traceId: "t", outcome: "pass", coment: "lost" },
    "must be pass, fail": { traceId: "t", outcome: "red" },
  };
  for (const [message, fields] of Object.entries(wrong)) {
    const signal = { source: "ci", ...fields } as unknown as NewSignal;
    await assert.rejects(signals.send(signal), { message: new RegExp(message) });
    await assert.rejects(signals.batch([signal]), { message: new RegExp(message) });
  }
  await assert.rejects(signals.list(""), { name: "InvalidArgumentError" });
  assert.equal(server.asked.length, 0);
});

test("the mask hides the words of a signal and keeps what finds the run", async () => {
  await using server = await FakeServer.start(() => ({ status: 202, body: accepted }));
  const { client } = clientOf(server, { mask: (text) => text.replaceAll("ada", "#") });
  const sent = await signalsOf(client).send({
    source: "ada",
    key: { session: "ada" },
    outcome: "success",
    occurredAt: new Date(0),
    idempotencyKey: "ada",
    comment: "by ada",
    url: "https://ci.example/ada",
    metadata: { whoIsIt: ["ada"] },
  });
  assert.deepEqual(sent, { id: "s", status: "matched", traceIds: ["t"] });
  const [{ path, json }] = server.asked as [Asked];
  assert.equal(path, "/v1/projects/p/signals");
  assert.deepEqual(json, {
    source: "ada",
    key: { name: "session", value: "ada" },
    outcome: "pass",
    occurred_at: "1970-01-01T00:00:00.000Z",
    idempotency_key: "ada",
    comment: "by #",
    url: "https://ci.example/ada",
    metadata: { whoIsIt: ["#"] },
  });
});

test("a repeat of a signal has the key of the first, and many are sent in parts", async () => {
  let failures = 1;
  await using server = await FakeServer.start(({ json }) => {
    failures -= 1;
    if (failures === 0) return refusal(503, "unavailable", "no", { "retry-after-ms": "1" });
    return json.signals ? { body: { results: json.signals.map(() => accepted) } } : { body: accepted };
  });
  const signals = signalsOf(clientOf(server).client);
  await signals.send({ source: "ci", traceId: "t", score: 0 });
  const many = Array.from({ length: 150 }, () => ({ source: "ci", traceId: "t", score: 0.5 }));
  assert.equal((await signals.batch(many)).length, 150);
  const keys = server.asked.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys[0], keys[1]);
  assert.equal(new Set(keys).size, 3);
  assert.deepEqual(
    server.to("batch").map(({ json }) => json.signals.length),
    [100, 50],
  );
});

test("a run declares keys, which the mask does not change", async () => {
  await using server = await FakeServer.start(working());
  const { client } = clientOf(server, { mask: () => "#" });
  await client.trace("t", (run) => {
    run.setOutput({ trajectory: "text", keys: { pull_request: "118", sessionId: "s" } });
  });
  await client.flush();
  const [trace] = server.to("traces/batch")[0]!.json.traces;
  assert.deepEqual(trace.keys, { pull_request: "118", sessionId: "s" });
  assert.equal(trace.task, "#");
});

test("the names of sources are not changed, and the fields of their rules are", () => {
  const ours = { signals: { sources: { my_ci: { waitPassSeconds: 60 }, metadata: { passFrom: 0.5 } } } };
  const theirs = { signals: { sources: { my_ci: { wait_pass_seconds: 60 }, metadata: { pass_from: 0.5 } } } };
  assert.deepEqual(toContract(ours), theirs);
  assert.deepEqual(toClient(theirs), ours);
  // A list of the same name has objects with fields of the contract.
  assert.deepEqual(toClient({ sources: [{ last_week: { signals: 1 } }] }), {
    sources: [{ lastWeek: { signals: 1 } }],
  });
});

test("the calls need a client", () => {
  assert.throws(() => signalsOf({} as ReflectClient), { name: "InvalidArgumentError" });
});

test("a vote has no key, and a refused vote says why", async () => {
  await using server = await FakeServer.start(() => ({ status: 204, body: "" }));
  await sendFeedback({ baseUrl: `${server.url}/reflect/`, token: "rff_1", score: 0.5, comment: "c" });
  const [{ method, path, headers, json }] = server.asked as [Asked];
  assert.deepEqual([method, path], ["POST", "/reflect/v1/feedback"]);
  assert.deepEqual(json, { token: "rff_1", score: 0.5, comment: "c" });
  assert.equal(headers.authorization, undefined);
  assert.match(headers["content-type"]!, /^application\/json/);

  const vote = { baseUrl: server.url, token: "rff_1", outcome: "pass" } as const;
  server.handler = () => refusal(401, "feedback_token_expired");
  await assert.rejects(sendFeedback(vote), {
    name: "FeedbackError",
    status: 401,
    code: "feedback_token_expired",
    message: "The vote was refused with status 401 (feedback_token_expired).",
  });
  server.handler = () => ({ status: 502, body: "<html>" });
  await assert.rejects(sendFeedback(vote), { status: 502, message: "The vote was refused with status 502." });
  await assert.rejects(sendFeedback(vote, { signal: AbortSignal.abort(new Error("left")) }), {
    message: "left",
  });
});
