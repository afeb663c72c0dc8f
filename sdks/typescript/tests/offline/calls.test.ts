/** Every call sends the request that docs/reference/client-coverage.json says, with the names of the contract. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { bootstrap } from "../../src/bootstrap.js";
import { sendFeedback } from "../../src/calls/feedback.js";
import { signalsOf } from "../../src/calls/signals.js";
import type { ReflectClient } from "../../src/index.js";
import { clientOf } from "../support/client.js";
import { FakeServer, stored, type Asked } from "../support/fake-server.js";

type Send = (client: ReflectClient) => unknown;

const root = new URL("../../../../../", import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, root), "utf8"));
const contract = readJson("openapi.json");
const coverage: Record<string, { typescript: string | { gap: string } }> = readJson(
  "docs/reference/client-coverage.json",
).calls;

/** One call per method. The lists are read to their end. */
const CALLS: Record<string, Send> = {
  bootstrap: ({ baseUrl }) => bootstrap({ baseUrl, bootstrapToken: "b", userId: "u", projectId: "p" }),
  health: (client) => client.health(),
  "project.get": (client) => client.project.get(),
  "project.update": (client) => client.project.update({ holdoutRate: 0.1 }),
  "project.delete": (client) => client.project.delete(),
  "project.loopHealth": (client) => client.project.loopHealth(),
  "project.uplift": (client) => client.project.uplift({ reviewError: 0.1 }),
  "project.diagnosis": (client) => client.project.diagnosis(),
  "project.erase": (client) => client.project.erase({ subject: "ada" }),
  "project.erasure": (client) => client.project.erasure("e"),
  "actions.list": (client) => client.actions.list({ includeAutomatic: true }).toArray(),
  "actions.get": (client) => client.actions.get("a"),
  "actions.undo": (client) => client.actions.undo("a"),
  "keys.list": (client) => client.keys.list().toArray(),
  "keys.create": (client) => client.keys.create({ label: "l", scopes: ["memory:read"] }),
  "keys.revoke": (client) => client.keys.revoke("k"),
  "keys.rotate": (client) => client.keys.rotate("k", { overlapHours: 1 }),
  "judge.status": (client) => client.judge.status(),
  "judge.try": (client) => client.judge.try({ traceId: "t" }),
  "lessons.list": (client) => client.lessons.list({ q: "refund" }).toArray(),
  "lessons.get": (client) => client.lessons.get("l"),
  "lessons.group": (client) => client.lessons.group({ into: "l", lessonIds: ["m"] }),
  "lessons.split": (client) => client.lessons.split("l", ["m"]),
  "lessons.questions": (client) => client.lessons.questions({ open: true }).toArray(),
  "lessons.answer": (client) => client.lessons.answer("q", "first"),
  "lessons.grouping": (client) => client.lessons.grouping(),
  "lessons.startGrouping": (client) => client.lessons.startGrouping(),
  "lessons.revertGrouping": (client) => client.lessons.revertGrouping(),
  "memories.list": (client) => client.memories.list({ utilityBelow: 0.5 }).toArray(),
  "memories.write": (client) => client.memories.write({ task: "t", keyMistake: "k" }),
  "memories.bulk": (client) => client.memories.bulk({ action: "disable", dryRun: true }),
  "memories.merge": (client) => client.memories.merge({ survivorId: "m", memoryIds: ["n"] }),
  "memories.get": (client) => client.memories.get("m"),
  "memories.edit": (client) => client.memories.edit("m", { correctAction: "c" }),
  "memories.delete": (client) => client.memories.delete("m"),
  "memories.disable": (client) => client.memories.disable("m"),
  "memories.enable": (client) => client.memories.enable("m"),
  "memories.erase": (client) => client.memories.erase("m"),
  "memories.history": (client) => client.memories.history("m"),
  "memories.move": (client) => client.memories.move("m", "l"),
  "memories.neighbours": (client) => client.memories.neighbours("m", { limit: 3 }),
  "memories.pin": (client) => client.memories.pin("m"),
  "memories.quarantine": (client) => client.memories.quarantine("m"),
  "memories.release": (client) => client.memories.release("m"),
  "memories.unpin": (client) => client.memories.unpin("m"),
  "memories.uses": (client) => client.memories.uses("m").toArray(),
  "memories.query": (client) => client.memories.query("t", { metadataFilter: { orderId: 1 } }),
  "memories.augment": (client) => client.memories.augment("t", { maxTokens: 100 }),
  "retrievals.get": (client) => client.retrievals.get("r"),
  "queue.status": (client) => client.queue.status(),
  "queue.next": (client) => client.queue.next({ count: 1, leaseSeconds: 60 }),
  "queue.lease": (client) => client.queue.lease({ traceIds: ["t"], release: true }),
  "queue.defer": (client) => client.queue.defer("t", { seconds: 60 }),
  "queue.resume": (client) => client.queue.resume("t"),
  "reviews.create": (client) => client.reviews.create("t", { result: "success", feedbackText: "f" }),
  "reviews.withdraw": (client) => client.reviews.withdraw("t", { reviewId: "r" }),
  "reviews.batch": (client) => client.reviews.batch([{ traceId: "t", result: "pass" }]),
  "reviews.bulk": (client) => client.reviews.bulk({ traceIds: ["t"], result: "failure", dryRun: true }),
  sendFeedback: ({ baseUrl }) => sendFeedback({ baseUrl, token: "rff_1", outcome: "pass", comment: "c" }),
  "signals.send": (client) =>
    signalsOf(client).send({
      source: "ci",
      key: { commit: "4f2a9c1" },
      outcome: "failure",
      occurredAt: new Date(),
    }),
  "signals.batch": (client) => signalsOf(client).batch([{ source: "ci", traceId: "t", score: 1 }]),
  "signals.list": (client) => signalsOf(client).list("t"),
  "signals.sources": (client) => signalsOf(client).sources(),
  "signals.createFeedbackToken": (client) =>
    signalsOf(client).createFeedbackToken("t", { expiresInSeconds: 60 }),
  "skills.get": (client) => client.skills.get(),
  "skills.create": (client) => client.skills.create({ nPassed: 3 }),
  "traces.create": (client) =>
    client.traces.create({ task: "t", trajectory: [], review: { result: "pass" } }),
  "traces.enqueue": (client) => {
    client.traces.enqueue({ task: "t", trajectory: "text" });
    return client.flush();
  },
  "traces.get": (client) => client.traces.get("t"),
  "traces.list": (client) => client.traces.list({ reviewStatus: "pending" }).toArray(),
  "traces.rows": (client) => client.traces.rows({ hasError: true }).toArray(),
  "traces.steps": (client) => client.traces.steps("t", { from: 1 }),
  "traces.part": (client) => client.traces.part("t", 2),
  "traces.delete": (client) => client.traces.delete(["t"]),
  "traces.retry": (client) => client.traces.retry("t"),
};

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
  readonly responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | string[];
  readonly properties?: Record<string, Schema>;
  readonly required?: string[];
  readonly allOf?: Schema[];
  readonly oneOf?: Schema[];
}

/** The operation of a request. */
function operationOf({ method, path }: Asked): Operation {
  const [plain] = path.split("?");
  const found = Object.entries(contract.paths as Record<string, Record<string, Operation>>).find(
    ([template, item]) =>
      item[method.toLowerCase()] !== undefined &&
      new RegExp(
        `^${template
          .replace("{project_id}", "p")
          .replace(/\{part\}/, "\\d+")
          .replace(/\{\w+\}/g, "[a-z]")}$`,
      ).test(plain!),
  );
  assert.ok(found, `${method} ${path} is not in openapi.json`);
  return found[1][method.toLowerCase()]!;
}

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : contract.components.schemas[schema.$ref.split("/").at(-1)!];
}

function fieldsOf(given: Schema): Record<string, Schema> {
  const schema = resolved(given);
  return Object.assign({}, schema.properties, ...(schema.allOf ?? []).map(fieldsOf));
}

/** A response with the required fields of its schema. */
function sample(given: Schema): unknown {
  const schema = resolved(given);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(sample));
  if (schema.oneOf) return sample(schema.oneOf[0]!);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "array") return [];
  if (type !== "object") return { string: "x", boolean: false, integer: 1, number: 1 }[type ?? "string"];
  const required = (schema.required ?? []).map((name) => [name, sample(schema.properties![name]!)]);
  return Object.fromEntries(required);
}

function reply(asked: Asked): { status: number; body: unknown } {
  if (asked.path.endsWith("/traces/batch")) return { status: 200, body: stored(asked).body };
  const [status, answer] = Object.entries(operationOf(asked).responses).find(([code]) =>
    code.startsWith("2"),
  )!;
  const schema = answer.content?.["application/json"]?.schema;
  return { status: Number(status), body: schema ? sample(schema) : "" };
}

for (const [name, send] of Object.entries(CALLS)) {
  test(`${name} sends its request and accepts its response`, async () => {
    await using server = await FakeServer.start(reply);
    await send(clientOf(server).client);
    assert.equal(server.asked.length, 1);
    const [asked] = server.asked as [Asked];
    const operation = operationOf(asked);
    assert.equal(coverage[operation.operationId]?.typescript, name);
    const parameters = (operation.parameters ?? []).map((parameter) => parameter.name);
    for (const query of new URL(asked.path, "http://x").searchParams.keys())
      assert.ok(parameters.includes(query), query);
    if (operation.requestBody !== undefined) {
      const known = Object.keys(fieldsOf(operation.requestBody.content["application/json"]!.schema));
      for (const field of Object.keys(asked.json))
        assert.ok(known.includes(field), `${field} is not a field of the body`);
    }
    const needsKey = parameters.includes("Idempotency-Key") && name !== "traces.enqueue";
    assert.equal(asked.headers["idempotency-key"] !== undefined, needsKey);
  });
}

test("every method of the coverage table is a call of this test, and the other way round", () => {
  const methods = Object.values(coverage).flatMap(({ typescript }) =>
    typeof typescript === "string" ? [typescript] : [],
  );
  assert.deepEqual(Object.keys(CALLS).toSorted(), methods.toSorted());
});

test("a project without a skill has none", async () => {
  await using server = await FakeServer.start(() => ({
    status: 404,
    body: { error: { code: "not_found", message: "no" } },
  }));
  assert.equal(await clientOf(server).client.skills.get(), undefined);
});

test("a review with a misspelled field is not sent", async () => {
  await using server = await FakeServer.start();
  const { client } = clientOf(server);
  const review = { result: "fail", feedback: "lost" } as never;
  await assert.rejects(client.reviews.create("t", review), {
    name: "UnknownFieldError",
    message: /there is no field "feedback"/,
  });
  await assert.rejects(client.reviews.batch([{ traceId: "t", result: "maybe" as "pass" }]), {
    name: "InvalidReviewResultError",
  });
  await assert.rejects(client.traces.get(""), { name: "InvalidArgumentError" });
  assert.equal(server.asked.length, 0);
});

test("a review is replaced, and many reviews are sent in parts", async () => {
  await using server = await FakeServer.start((asked) => ({
    body: asked.path.endsWith("batch")
      ? {
          results: asked.json.reviews.map(({ trace_id }: { trace_id: string }) => ({
            trace_id,
            ingest_status: "queued",
          })),
        }
      : { id: "t" },
  }));
  const { client } = clientOf(server, { mask: (text) => text.replace("Ada", "[name]") });
  await client.reviews.replace("t", { result: "fail", feedbackText: "Ada was right" });
  assert.deepEqual(server.asked[0]!.json, {
    result: "fail",
    feedback_text: "[name] was right",
    replace: true,
  });
  const reviews = Array.from({ length: 150 }, (_, index) => ({
    traceId: `t${index}`,
    result: "pass" as const,
    graceSeconds: 0,
  }));
  const outcomes = await client.reviews.batch(reviews);
  assert.equal(outcomes.length, 150);
  assert.deepEqual(
    server.to("batch").map(({ json }) => json.reviews.length),
    [100, 50],
  );
  assert.deepEqual(outcomes[149], { traceId: "t149", ingestStatus: "queued" });
});

test("waiting survives a restart of the server and ends in time", async () => {
  let asked = 0;
  await using server = await FakeServer.start(() => {
    asked += 1;
    if (asked === 1)
      return {
        status: 503,
        headers: { "retry-after-ms": "1" },
        body: { error: { code: "unavailable", message: "restart" } },
      };
    return {
      body: { id: "t", review_status: "pending", ingest_status: "queued", last_ingest_error: "no model." },
    };
  });
  const { client } = clientOf(server, { maxRetries: 0 });
  await assert.rejects(client.traces.wait("t", { requireReviewed: true, waitTimeout: 60, pollInterval: 5 }), {
    name: "WaitTimeoutError",
    message: /not processed after 60 ms: reviewStatus is pending.*no model\.$/,
  });
  assert.equal((await client.traces.wait("t")).id, "t");
  server.handler = () => ({ status: 404, body: { error: { code: "not_found", message: "no" } } });
  await assert.rejects(client.traces.wait("t", { waitTimeout: 50, pollInterval: 5 }), {
    name: "NotFoundError",
  });
});
