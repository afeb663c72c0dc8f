/** When a call is repeated, and as what it fails. */

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";

import * as reflect from "../../src/index.js";
import { clientOf } from "../support/client.js";
import { FakeServer, refusal, type Reply } from "../support/fake-server.js";

const SOON = { "retry-after-ms": "1" };

/** A server that gives these replies, the last one for ever. */
async function replying(...replies: Reply[]): Promise<FakeServer> {
  let index = 0;
  return FakeServer.start(() => replies[Math.min(index++, replies.length - 1)]!);
}

async function rejection(promise: Promise<unknown>): Promise<reflect.ReflectError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof reflect.ReflectError, String(error));
  return error;
}

for (const status of [408, 425, 429, 500, 502, 503, 504]) {
  test(`a temporary failure with ${status} is tried again`, async () => {
    await using server = await replying(refusal(status, "unavailable", "no", SOON), { body: { id: "t" } });
    assert.equal((await clientOf(server).client.traces.get("t")).id, "t");
    assert.equal(server.asked.length, 2);
  });
}

for (const [status, kind] of [
  [400, reflect.BadRequestError],
  [401, reflect.AuthenticationError],
  [403, reflect.PermissionDeniedError],
  [404, reflect.NotFoundError],
  [409, reflect.ConflictError],
  [413, reflect.BadRequestError],
  [415, reflect.BadRequestError],
  [418, reflect.APIStatusError],
  [422, reflect.UnprocessableError],
] as const) {
  test(`${status} is an error of its own kind and is not tried again`, async () => {
    await using server = await replying(
      refusal(status, "the_code", "the reason", { "x-request-id": "req-7" }),
    );
    const error = await rejection(clientOf(server).client.traces.get("t"));
    assert.ok(error instanceof kind && error instanceof reflect.APIStatusError);
    assert.deepEqual([error.status, error.code, error.requestId], [status, "the_code", "req-7"]);
    assert.match(error.message, /^traces\.get: .* the reason \[the_code\]/);
    assert.equal(server.asked.length, 1);
  });
}

test("a call is repeated twice and not more, with the same idempotency key", async () => {
  await using server = await replying(refusal(503, "unavailable", "no", SOON));
  const { client } = clientOf(server);
  const error = await rejection(client.traces.create({ task: "t", trajectory: [] }));
  assert.ok(error instanceof reflect.InternalServerError);
  assert.equal(server.asked.length, 3);
  const keys = new Set(server.asked.map(({ headers }) => headers["idempotency-key"]));
  assert.deepEqual([...keys], [server.asked[0]!.json.trace_id]);
});

test("maxRetries 0 repeats nothing", async () => {
  await using server = await replying(refusal(503, "unavailable", "no", SOON));
  await rejection(clientOf(server, { maxRetries: 0 }).client.traces.get("t"));
  assert.equal(server.asked.length, 1);
});

test("a wait that is longer than the time limit is not begun", async () => {
  await using server = await replying(refusal(429, "limited", "no", { "retry-after": "30" }));
  const began = Date.now();
  const error = await rejection(clientOf(server).client.traces.get("t", { timeout: 2000 }));
  assert.ok(error instanceof reflect.RateLimitError);
  assert.equal(error.retryAfter, 30_000);
  assert.ok(Date.now() - began < 1500);
});

test("a server that does not answer is a timeout", async () => {
  await using server = await FakeServer.start(() => new Promise<Reply>(() => {}));
  const error = await rejection(clientOf(server, { timeout: 50 }).client.traces.get("t"));
  assert.ok(error instanceof reflect.APITimeoutError && error instanceof reflect.APIConnectionError);
});

test("a server that is not there is a connection error with a hint", async () => {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  const { client } = clientOf({ url: `http://127.0.0.1:${port}` }, { maxRetries: 1 });
  const error = await rejection(client.traces.get("t"));
  assert.ok(error instanceof reflect.APIConnectionError && !(error instanceof reflect.APITimeoutError));
  assert.match(error.message, /traces\.get: cannot reach .*Check that the server is running/);
});

test("an aborted call rejects with the signal's reason", async () => {
  await using server = await FakeServer.start(() => new Promise<Reply>(() => {}));
  const controller = new AbortController();
  const reason = new Error("the user left");
  const call = clientOf(server).client.traces.get("t", { signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(call, reason);
  await assert.rejects(clientOf(server).client.traces.get("t", { signal: controller.signal }), reason);
});

test("the wait before a repetition can be aborted", async () => {
  const controller = new AbortController();
  await using server = await FakeServer.start(() => {
    setTimeout(() => controller.abort(), 10);
    return refusal(503, "unavailable", "no", { "retry-after": "20" });
  });
  await assert.rejects(clientOf(server).client.traces.get("t", { signal: controller.signal }), {
    name: "AbortError",
  });
});

for (const [what, reply, words] of [
  [
    "a sign-in page",
    { headers: { "content-type": "text/html" }, body: "<html>sign in</html>" },
    /HTML, not JSON.*proxy/,
  ],
  ["an empty body", { body: "" }, /an empty body/],
  ["truncated JSON", { body: '{"id": "t", "ta' }, /truncated or invalid JSON/],
  ["another shape", { body: ["t"] }, /`id` is missing/],
  ["a missing field", { body: { name: "t" } }, /`id` is missing/],
] as const) {
  test(`${what} is an invalid response`, async () => {
    await using server = await replying(reply);
    const error = await rejection(clientOf(server).client.traces.get("t"));
    assert.ok(error instanceof reflect.InvalidResponseError);
    assert.match(error.message, words);
  });
}

test("an error of a proxy says that it is not from Reflect", async () => {
  await using server = await replying({
    status: 403,
    headers: { "content-type": "text/html" },
    body: "<html>no</html>",
  });
  const error = await rejection(clientOf(server).client.traces.get("t"));
  assert.match(error.message, /the response is HTML, not an error of a Reflect server/);
});

test("a redirect is not followed", async () => {
  await using server = await replying({
    status: 302,
    headers: { location: "https://sign-in.example/x" },
    body: "",
  });
  const error = await rejection(clientOf(server).client.traces.get("t"));
  assert.match(error.message, /redirects to .*Set baseUrl/);
  assert.equal(server.asked.length, 1);
});

test("a warning of the server is logged once", async () => {
  await using server = await replying({
    headers: { "reflect-warning": "the key expires soon" },
    body: { id: "t" },
  });
  const { client, log } = clientOf(server);
  await client.traces.get("t");
  await client.traces.get("t");
  assert.deepEqual(log.messages, ["reflect: Warning of the server: the key expires soon"]);
});

test("the key and the project are in the request, and every segment is encoded", async () => {
  await using server = await replying({ body: { id: "t" } });
  const { client } = clientOf({ url: `${server.url}/pre/fix/` }, { projectId: "a b/c" });
  await client.traces.get("x/y?z");
  const [asked] = server.asked;
  assert.equal(asked!.path, "/pre/fix/v1/projects/a%20b%2Fc/traces/x%2Fy%3Fz");
  assert.equal(asked!.headers.authorization, "Bearer rf_test_1");
});

test("settings come from options, else from the environment", async () => {
  const { env } = process;
  const before = { ...env };
  try {
    Object.assign(env, {
      REFLECT_BASE_URL: "http://from.environment:1/",
      REFLECT_API_KEY: "k",
      REFLECT_PROJECT_ID: "q",
    });
    const client = new reflect.ReflectClient();
    assert.deepEqual([client.baseUrl, client.projectId], ["http://from.environment:1", "q"]);
    const given = new reflect.ReflectClient({ baseUrl: "https://given/", projectId: "g" });
    assert.deepEqual([given.baseUrl, given.projectId], ["https://given", "g"]);
    assert.throws(() => new reflect.ReflectClient({ baseUrl: "localhost:8000" }), reflect.ConfigurationError);
    delete env["REFLECT_API_KEY"];
    assert.throws(() => new reflect.ReflectClient(), /The API key is missing/);
    assert.throws(() => new reflect.ReflectClient({ apiKey: "a b" }), reflect.ConfigurationError);
  } finally {
    for (const name of ["REFLECT_BASE_URL", "REFLECT_API_KEY", "REFLECT_PROJECT_ID"]) {
      if (before[name] === undefined) delete env[name];
      else env[name] = before[name];
    }
  }
});

test("pages are requested as they are needed", async () => {
  await using server = await FakeServer.start(({ path }) => {
    const page = Number(new URL(path, "http://x").searchParams.get("cursor") ?? 0);
    return {
      body: [{ id: `${page}a` }, { id: `${page}b` }],
      headers: page < 9 ? { "x-next-cursor": String(page + 1) } : {},
    };
  });
  const { client } = clientOf(server);
  const found: string[] = [];
  for await (const trace of client.traces.list({ reviewStatus: "pending", limit: 2 })) {
    found.push(trace.id);
    if (found.length === 3) break;
  }
  assert.deepEqual(found, ["0a", "0b", "1a"]);
  assert.equal(server.asked.length, 2);
  assert.match(server.asked[1]!.path, /traces\?review_status=pending&limit=2&cursor=1$/);
  assert.equal((await client.traces.list().toArray()).length, 20);
  assert.equal((await client.traces.list().toArray(5)).length, 5);
});
