/** Delivery in the background: batches, failures, limits, and that every run is counted once. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { DeliveryCounters, Spool, SpoolPlace } from "../../src/index.js";
import { Outbox, type OutboxHost, type OutboxSettings } from "../../src/delivery/outbox.js";
import { send } from "../../src/wire/http.js";
import { clientOf, MemoryLogger, until } from "../support/client.js";
import { FakeServer, refusal, stored, working, type Handler } from "../support/fake-server.js";

/** An outbox with small limits that sends to a fake server. */
function outboxOf(
  server: FakeServer,
  settings: Partial<OutboxSettings> = {},
  more: Partial<OutboxHost> = {},
): { outbox: Outbox; log: MemoryLogger } {
  const log = new MemoryLogger();
  const address = { baseUrl: server.url, apiKey: "k", fetch: globalThis.fetch };
  const outbox = new Outbox(
    {
      baseUrl: server.url,
      projectId: "p",
      journal: undefined,
      post: (body, signal) => send(address, { method: "POST", path: "/traces/batch", body }, 5_000, signal),
      report: () => {},
      warn: (message) => log.warn(message),
      ...more,
    },
    { linger: 5, ...settings },
  );
  return { outbox, log };
}

function put(outbox: Outbox, id: string, { reviewed = false, size = 0 } = {}): void {
  outbox.put(id, JSON.stringify({ trace_id: id, text: "x".repeat(size) }), reviewed);
}

function assertBalanced(counters: DeliveryCounters): void {
  const dropped = Object.values(counters.dropped).reduce((sum, count) => sum + count, 0);
  assert.equal(
    counters.produced + counters.adopted,
    counters.sent + counters.pending + counters.spooled + dropped,
  );
}

/** The ids that the server was asked to store, by request. */
function batches(server: FakeServer): string[][] {
  return server.asked.map(({ json }) => json.traces.map(({ trace_id }: { trace_id: string }) => trace_id));
}

const each =
  (answer: (id: string) => object): Handler =>
  ({ json }) => ({
    body: { results: json.traces.map(({ trace_id }: { trace_id: string }) => answer(trace_id)) },
  });

test("runs are sent together, without waiting for the next one for long", async () => {
  await using server = await FakeServer.start(stored);
  const { outbox } = outboxOf(server);
  for (const id of ["a", "b", "c"]) put(outbox, id);
  assert.equal(outbox.counters.pending, 3);
  await until("they are sent", () => outbox.counters.sent === 3);
  assert.deepEqual(batches(server), [["a", "b", "c"]]);
  assertBalanced(outbox.counters);
});

test("a batch has a limited number of runs and bytes", async () => {
  await using server = await FakeServer.start(stored);
  const { outbox } = outboxOf(server, { batchItems: 2, batchBytes: 300 });
  for (const id of ["a", "b", "c"]) put(outbox, id);
  put(outbox, "big", { size: 400 });
  put(outbox, "big too", { size: 400 });
  await outbox.flush(5_000);
  assert.deepEqual(batches(server), [["a", "b"], ["c"], ["big"], ["big too"]]);
});

test("a rejected run is dropped and counted, and the others are stored", async () => {
  await using server = await FakeServer.start(
    each((id) => (id === "b" ? { error: { code: "invalid", message: "too long" } } : { trace_id: id })),
  );
  const { outbox, log } = outboxOf(server);
  for (const id of ["a", "b", "c"]) put(outbox, id);
  assert.deepEqual(await outbox.flush(5_000), { sent: 2, pending: 0, spooled: 0, dropped: 1 });
  assert.deepEqual(outbox.counters.dropped, { rejected: 1 });
  assert.match(log.text, /rejects b: invalid: too long/);
  assert.deepEqual(await outbox.flush(5_000), { sent: 0, pending: 0, spooled: 0, dropped: 0 });
});

test("a temporary error of one run is tried again without delaying the others", async () => {
  let first = true;
  await using server = await FakeServer.start(
    each((id) => {
      if (id !== "b" || !first) return { trace_id: id };
      first = false;
      return { error: { code: "overloaded", message: "later" } };
    }),
  );
  const { outbox } = outboxOf(server);
  for (const id of ["a", "b", "c"]) put(outbox, id);
  assert.equal((await outbox.flush(10_000)).sent, 3);
  assert.deepEqual(batches(server), [["a", "b", "c"], ["b"]]);
});

test("a run that makes the server reject the batch is found by halving", async () => {
  await using server = await FakeServer.start((asked) =>
    asked.body.includes('"poison"') ? refusal(422, "invalid", "poison") : stored(asked),
  );
  const { outbox } = outboxOf(server);
  for (const id of ["a", "b", "c", "poison", "d", "e", "f", "g"]) put(outbox, id);
  const result = await outbox.flush(10_000);
  assert.deepEqual([result.sent, result.dropped], [7, 1]);
  assert.deepEqual(outbox.counters.dropped, { rejected: 1 });
  assertBalanced(outbox.counters);
});

for (const [what, handler] of [
  ["a sign-in page", () => ({ headers: { "content-type": "text/html" }, body: "<html>sign in</html>" })],
  ["a rejected key", () => refusal(401, "unauthorized")],
  ["a redirect", () => ({ status: 302, headers: { location: "https://x" } })],
] as const) {
  test(`${what} keeps the runs, and a flush does not wait for it`, async () => {
    await using server = await FakeServer.start(handler);
    const { outbox, log } = outboxOf(server);
    put(outbox, "a");
    const began = Date.now();
    assert.deepEqual(await outbox.flush(20_000), { sent: 0, pending: 1, spooled: 0, dropped: 0 });
    assert.ok(Date.now() - began < 10_000);
    assert.match(log.text, /rejects this client/);
    server.handler = stored;
    assert.equal((await outbox.flush(20_000)).sent, 1);
  });
}

test("a response without an entry for each run says nothing about them", async () => {
  let first = true;
  await using server = await FakeServer.start((asked) => {
    if (!first) return stored(asked);
    first = false;
    return { body: { results: [{}] } };
  });
  const { outbox } = outboxOf(server);
  put(outbox, "a");
  assert.equal((await outbox.flush(5_000)).sent, 0);
  assert.equal((await outbox.flush(5_000)).sent, 1);
});

test("a proxy's limit for requests splits the batch and loses nothing", async () => {
  await using server = await FakeServer.start((asked) =>
    asked.json.traces.length > 1
      ? { status: 413, headers: { "content-type": "text/html" }, body: "<html>" }
      : stored(asked),
  );
  const { outbox } = outboxOf(server);
  for (const id of ["a", "b", "c", "d"]) put(outbox, id);
  await until("they are sent", () => outbox.counters.sent === 4);
});

test("an outage loses nothing, and a flush in it ends in time", async () => {
  await using server = await FakeServer.start(() => refusal(503, "unavailable"));
  const { outbox } = outboxOf(server);
  put(outbox, "a");
  const result = await outbox.flush(300);
  assert.deepEqual(result, { sent: 0, pending: 1, spooled: 0, dropped: 0 });
  server.handler = stored;
  // Without another call.
  await until("it is sent", () => outbox.counters.sent === 1);
});

test("when the memory is full, the oldest runs without a review are dropped", async () => {
  await using server = await FakeServer.start(() => new Promise(() => {}));
  const { outbox, log } = outboxOf(server, { maxItems: 4, linger: 60_000 });
  put(outbox, "reviewed", { reviewed: true });
  for (let index = 0; index < 6; index += 1) put(outbox, `plain ${index}`);
  assert.deepEqual(outbox.counters.dropped, { full: 3 });
  assert.equal(outbox.hasOwn("reviewed"), true);
  assert.equal(outbox.hasOwn("plain 2"), false);
  assert.equal(outbox.hasOwn("plain 3"), true);
  assert.match(log.text, /the queue is full/);
  for (let index = 0; index < 6; index += 1) put(outbox, `reviewed ${index}`, { reviewed: true });
  assert.deepEqual(outbox.counters.dropped, { full: 9 });
  assert.equal(outbox.hasOwn("reviewed 5"), true);
  assertBalanced(outbox.counters);
});

test("a run that is larger than the memory is dropped alone", async () => {
  await using server = await FakeServer.start(() => new Promise(() => {}));
  const { outbox } = outboxOf(server, { maxBytes: 1000, linger: 60_000 });
  put(outbox, "small");
  put(outbox, "huge", { size: 2000 });
  assert.deepEqual([outbox.hasOwn("small"), outbox.hasOwn("huge")], [true, false]);
  assertBalanced(outbox.counters);
});

test("push does not wait for a server that is known to be away", async () => {
  await using server = await FakeServer.start(() => refusal(401, "unauthorized"));
  const { outbox } = outboxOf(server);
  put(outbox, "a");
  await outbox.push(10_000);
  const began = Date.now();
  await outbox.push(10_000);
  assert.ok(Date.now() - began < 1_000);
  assert.equal(server.asked.length, 1);
});

test("close leaves what is on disk, counts what is only in memory, and can be followed by more runs", async () => {
  await using server = await FakeServer.start(() => refusal(401, "unauthorized"));
  const { outbox } = outboxOf(server);
  put(outbox, "a");
  assert.deepEqual(await outbox.close(1_000), { sent: 0, pending: 0, spooled: 0, dropped: 1 });
  assert.deepEqual(outbox.counters.dropped, { exit: 1 });
  server.handler = stored;
  put(outbox, "b");
  assert.equal((await outbox.flush(5_000)).sent, 1);
  assertBalanced(outbox.counters);
});

/** A spool in memory that refuses what `accepts` refuses. */
function memorySpool(
  accepts: () => boolean,
  left: { traceId: string; text: string }[] = [],
): Spool & { kept: Map<SpoolPlace, Uint8Array> } {
  const kept = new Map<SpoolPlace, Uint8Array>();
  return {
    kept,
    open: () => ({
      append: ({ traceId, body }) => {
        if (!accepts()) return undefined;
        const place = { traceId, size: body.byteLength };
        kept.set(place, body);
        return place;
      },
      read: (place) => kept.get(place),
      settle: (places) => places.forEach((place) => kept.delete(place)),
      adopt: () => {
        const found = left.pop();
        if (found === undefined) return undefined;
        const place = { traceId: found.traceId, size: found.text.length };
        kept.set(place, new TextEncoder().encode(found.text));
        return { places: [place], expired: 1 };
      },
      release: () => {},
    }),
  };
}

test("with a spool, a full memory drops nothing", async () => {
  await using server = await FakeServer.start(() => refusal(503, "unavailable"));
  const spool = memorySpool(() => true);
  const { outbox } = outboxOf(server, { maxItems: 2 }, { journal: spool.open("p", () => {}) });
  for (let index = 0; index < 5; index += 1) put(outbox, String(index));
  assert.equal(outbox.counters.spooled, 5);
  server.handler = stored;
  assert.equal((await outbox.flush(20_000)).sent, 5);
  assert.equal(spool.kept.size, 0);
  assertBalanced(outbox.counters);
});

test("what earlier processes left is sent, and what expired is counted", async () => {
  await using server = await FakeServer.start(stored);
  const left = ["x", "y"].map((id) => ({ traceId: id, text: JSON.stringify({ trace_id: id }) }));
  const spool = memorySpool(() => true, left);
  const { outbox } = outboxOf(server, {}, { journal: spool.open("p", () => {}) });
  assert.deepEqual(await outbox.flush(5_000), { sent: 2, pending: 0, spooled: 0, dropped: 2 });
  assert.deepEqual(outbox.counters.dropped, { expired: 2 });
  assert.equal(spool.kept.size, 0);
  assertBalanced(outbox.counters);
});

test("at the end, runs that were in memory only are stored if the disk has space again", async () => {
  await using server = await FakeServer.start(() => refusal(401, "unauthorized"));
  let full = true;
  const spool = memorySpool(() => !full);
  const { outbox } = outboxOf(server, {}, { journal: spool.open("p", () => {}) });
  put(outbox, "a");
  full = false;
  const result = await outbox.close(1_000);
  assert.deepEqual([result.dropped, outbox.counters.spooled], [0, 1]);
  assertBalanced(outbox.counters);
});

test("lost runs are reported to the server", async () => {
  await using server = await FakeServer.start((asked) =>
    asked.path.endsWith("/traces/batch")
      ? { body: { results: [{ error: { code: "invalid", message: "no" } }] } }
      : working(() => ({ status: 204, body: "" }))(asked),
  );
  const { client } = clientOf(server);
  await client.trace("t", (run) => run.step("user", "x"));
  await client.flush();
  await until("the report", () => server.to("/client-reports").length === 1);
  const { sdk, dropped, spooled } = server.to("/client-reports")[0]!.json;
  assert.match(sdk, /^reflect-memory /);
  assert.deepEqual([dropped, spooled], [1, 0]);
});

test("a read sends this client's runs first", async () => {
  await using server = await FakeServer.start(
    working(({ path }) => ({ body: path.includes("/traces/") ? { id: "t" } : [] })),
  );
  const { client } = clientOf(server);
  const run = await client.startTrace("t");
  run.step("user", "x");
  await run.end();
  await client.traces.get(run.traceId);
  const paths = server.asked.map(({ path }) => path.split("/").at(-1));
  assert.deepEqual(paths, ["augment", "batch", run.traceId]);
});
