/** Runs: what they are given, how they end, and what is stored. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  currentRun,
  InvalidArgumentError,
  ReflectClient,
  RunEndedError,
  type TraceOptions,
} from "../../src/index.js";
import { clientOf } from "../support/client.js";
import { augmentedReply, FakeServer, refusal, stored, working, type Asked } from "../support/fake-server.js";

/** Runs a body and returns the trace that the server got; undefined if it got none. */
// oxlint-disable-next-line typescript/no-explicit-any
async function traceOf(body: Parameters<ReflectClient["trace"]>[1], options?: TraceOptions): Promise<any> {
  await using server = await FakeServer.start(working());
  const { client } = clientOf(server);
  await client.trace("the task", body, options).catch(() => {});
  await client.flush();
  return server.to("/traces/batch")[0]?.json.traces[0];
}

test("a run stores what was set, with the receipt of its memories", async () => {
  const memory = { id: "m-1", task: "old", key_mistake: "k" };
  await using server = await FakeServer.start((asked) =>
    asked.path.endsWith("augment")
      ? augmentedReply("the task", {
          augmented_task: "the task\n\nmemories",
          memory_block: "memories",
          memories: [memory],
        })
      : stored(asked),
  );
  const { client } = clientOf(server);
  const result = await client.trace("the task", (run) => {
    assert.equal(run.augmentedTask, "the task\n\nmemories");
    assert.equal(run.memoryBlock, "memories");
    assert.equal(run.memories[0]!.keyMistake, "k");
    assert.equal(run.degraded, undefined);
    run.setOutput({
      trajectory: [{ role: "assistant", content: "done", tool_calls: [] }],
      result: "success",
      metadata: { order_id: 7 },
      model: "gpt",
    });
    return 42;
  });
  assert.equal(result, 42);
  assert.deepEqual(await client.flush(), { sent: 1, pending: 0, spooled: 0, dropped: 0 });
  const { trace_id, ...trace } = server.to("/traces/batch")[0]!.json.traces[0];
  assert.match(trace_id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(trace, {
    task: "the task",
    trajectory: [{ role: "assistant", content: "done", tool_calls: [] }],
    retrieved_memory_ids: ["m-1"],
    model: "gpt",
    metadata: { order_id: 7 },
    retrieval_id: "r-1",
    review: { result: "pass" },
  });
});

test("steps, tools and marked steps are the default trajectory", async () => {
  const trace = await traceOf((run) => {
    run.step("user", "hello");
    run.tool("find_order", { id: 1 }, { status: "shipped" });
    run.markStep("the state", "the action", "r-2");
    run.review("fail", "wrong order");
  });
  assert.deepEqual(trace.trajectory, [
    { role: "user", content: "hello" },
    { role: "assistant", content: "", tool_calls: [{ name: "find_order", arguments: { id: 1 } }] },
    { role: "tool", name: "find_order", content: { status: "shipped" } },
    {
      role: "assistant",
      content: "the action",
      reflect_step: { task: "the state", action: "the action", retrieval_id: "r-2" },
    },
  ]);
  assert.deepEqual(trace.review, { result: "fail", feedback_text: "wrong order" });
});

test("a text that the body returns is the answer, if nothing else was set", async () => {
  assert.deepEqual((await traceOf(() => "the answer")).trajectory, [
    { role: "assistant", content: "the answer" },
  ]);
  const recorded = await traceOf((run) => {
    run.step("user", "hello");
    return "ignored";
  });
  assert.deepEqual(recorded.trajectory, [{ role: "user", content: "hello" }]);
});

test("an error after output is a fail with the error's text, and is thrown", async () => {
  await using server = await FakeServer.start(working());
  const { client } = clientOf(server);
  const failing = client.trace("t", (run) => {
    run.setOutput({
      trajectory: [{ role: "assistant", content: "half" }],
      result: "pass",
      metadata: { a: 1 },
    });
    throw new RangeError("out of stock");
  });
  await assert.rejects(failing, new RangeError("out of stock"));
  await client.flush();
  const trace = server.to("/traces/batch")[0]!.json.traces[0];
  assert.deepEqual(trace.review, { result: "fail", feedback_text: "out of stock" });
  assert.equal(trace.metadata.a, 1);
  assert.equal(trace.metadata.reflect.error, "RangeError");
  assert.match(trace.metadata.reflect.where, /run\.test/);
});

test("an error without output is stored without a result", async () => {
  const trace = await traceOf(() => {
    throw new Error("early");
  });
  assert.equal(trace.review, undefined);
  assert.deepEqual(trace.trajectory, [{ role: "user", content: "the task" }]);
});

test("with autoFail false, the result is the one that was set", async () => {
  const trace = await traceOf(
    (run) => {
      run.review("pass");
      throw new Error("late");
    },
    { autoFail: false },
  );
  assert.equal(trace.review.result, "pass");
});

test("a cancelled run has no result, and the one that was set is kept in the metadata", async () => {
  const controller = new AbortController();
  const trace = await traceOf(
    (run) => {
      run.setOutput({ trajectory: [{ role: "user", content: "x" }], result: "pass" });
      controller.abort();
      controller.signal.throwIfAborted();
    },
    { signal: controller.signal },
  );
  assert.equal(trace.review, undefined);
  assert.deepEqual(trace.metadata.reflect, { discarded_result: "pass", interrupted: "AbortError" });
});

test("a mistake in the use of this package is not a fail of the agent", async () => {
  const trace = await traceOf((run) => {
    run.step("user", "x");
    run.setOutput({ feedbackText: "lost" });
  });
  assert.equal(trace.review, undefined);
  assert.equal(trace.metadata.reflect.error, "InvalidArgumentError");
});

test("a run without anything to store is counted and logged", async () => {
  await using server = await FakeServer.start(working());
  const { client, log } = clientOf(server);
  await client.trace("nothing", () => {});
  assert.equal(client.delivery.empty, 1);
  assert.equal(client.delivery.produced, 0);
  assert.match(log.text, /The run "nothing" ended without run\.setOutput/);
});

test("after its end a run cannot be changed", async () => {
  await using server = await FakeServer.start(working());
  const { client, log } = clientOf(server);
  const run = await client.startTrace("t");
  run.step("user", "x");
  await run.end();
  await run.end();
  assert.equal(run.ended, true);
  assert.throws(() => run.review("pass"), RunEndedError);
  assert.throws(() => run.setOutput({}), /client\.reviews\.create/);
  assert.doesNotThrow(() => run.step("tool", "late"));
  assert.match(log.text, /after its run had ended/);
  await client.flush();
  assert.equal(client.delivery.sent, 1);
});

test("a review that was set apart survives setOutput without a result", async () => {
  const trace = await traceOf((run) => {
    run.review("fail", "too slow", { alpha: 0.1 });
    run.setOutput({ trajectory: [{ role: "assistant", content: "x" }] });
  });
  assert.deepEqual(trace.review, { result: "fail", feedback_text: "too slow", alpha: 0.1 });
  const deferred = await traceOf((run) => {
    run.setOutput({ trajectory: [{ role: "assistant", content: "x" }], result: "pass" });
    run.defer();
  });
  assert.equal(deferred.review, undefined);
});

test("wrong arguments are found where they are made", async () => {
  await using server = await FakeServer.start(working());
  const { client } = clientOf(server);
  await assert.rejects(client.startTrace("  "), InvalidArgumentError);
  const run = await client.startTrace("t");
  assert.throws(() => run.review("good" as "pass"), /must be pass, fail, success or failure, not "good"/);
  assert.throws(() => run.setOutput({ trajectory: 7 as unknown as string }), InvalidArgumentError);
  assert.throws(() => run.setOutput({ task: "" }), InvalidArgumentError);
});

test("await using ends a run, and fail says that it failed", async () => {
  await using server = await FakeServer.start(working());
  const { client } = clientOf(server);
  {
    await using run = await client.startTrace("t");
    run.step("assistant", "x");
    run.fail(new Error("tool broke"));
  }
  await client.flush();
  assert.deepEqual(server.to("/traces/batch")[0]!.json.traces[0].review, {
    result: "fail",
    feedback_text: "tool broke",
  });
});

test("the current run is that of the executing code", async () => {
  await using server = await FakeServer.start(working());
  const { client } = clientOf(server);
  const seen = await Promise.all(
    ["a", "b"].map((task) =>
      client.trace(task, async (outer) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        assert.equal(currentRun(), outer);
        outer.step("user", "x");
        return client.trace(`${task} inner`, async (inner) => {
          await Promise.resolve();
          inner.step("user", "y");
          return [currentRun() === inner, outer.traceId];
        });
      }),
    ),
  );
  assert.equal(currentRun(), undefined);
  assert.deepEqual(
    seen.map(([own]) => own),
    [true, true],
  );
  await client.flush();
  const traces = server.to("/traces/batch").flatMap(({ json }: Asked) => json.traces);
  const inner = traces.find(({ task }) => task === "a inner");
  assert.equal(inner.metadata.reflect.parent_trace_id, seen[0]![1]);
});

test("without a server a run goes on without memories, and the next one does not wait", async () => {
  await using server = await FakeServer.start(() => new Promise(() => {}));
  const { client, log } = clientOf(server, { retrievalTimeout: 50, maxRetries: 0 });
  const degraded = await client.trace("t", (run) => run.degraded);
  assert.match(degraded!, /^no memories: trace: no response/);
  const next = await client.trace("t", (run) => run.degraded);
  assert.match(next!, /did not answer before/);
  assert.equal(server.to("augment").length, 1);
  assert.match(log.text, /The run continues without memories/);
});

test("a rejected key or a sign-in page does not stop a run, but is thrown by a call", async () => {
  await using server = await FakeServer.start(() => refusal(401, "unauthorized"));
  const { client } = clientOf(server);
  assert.match((await client.trace("t", (run) => run.degraded))!, /401/);
  await assert.rejects(client.memories.augment("t"), { name: "AuthenticationError" });
  server.handler = () => ({ body: "<html>" });
  assert.match((await client.trace("t", (run) => run.degraded))!, /HTML/);
});

test("a mask changes what the server gets, and not what the agent gets", async () => {
  await using server = await FakeServer.start((asked) =>
    asked.path.endsWith("augment")
      ? augmentedReply(asked.json.task, {
          augmented_task: `${asked.json.task}\n\nlessons`,
          memory_block: "lessons",
        })
      : stored(asked),
  );
  const { client } = clientOf(server, { mask: (text) => text.replace("ada@example.org", "[email]") });
  const prompt = await client.trace("Answer ada@example.org", (run) => {
    run.step("user", run.augmentedTask);
    return run.augmentedTask;
  });
  assert.equal(prompt, "Answer ada@example.org\n\nlessons");
  await client.flush();
  assert.ok(!JSON.stringify(server.asked.map(({ body }) => body)).includes("ada@example.org"));
});

test("a mask that throws sends nothing, and the loss is counted", async () => {
  await using server = await FakeServer.start(working());
  const broken = () => {
    throw new Error("mask");
  };
  const { client, log } = clientOf(server, { mask: broken });
  await client.trace("t", (run) => run.step("user", "x"));
  await client.flush();
  assert.equal(server.asked.length, 0);
  assert.deepEqual(client.delivery.dropped, { mask_failed: 1 });
  assert.match(log.text, /is not stored/);
});

test("retrieve false records without asking for memories", async () => {
  await using server = await FakeServer.start(working());
  const { client } = clientOf(server);
  const degraded = await client.trace("t", (run) => run.degraded, { retrieve: false });
  assert.equal(degraded, undefined);
  assert.equal(server.to("augment").length, 0);
});

test("a blocking run waits until its review has become a memory", async () => {
  let polls = 0;
  await using server = await FakeServer.start(
    working(() => {
      polls += 1;
      const done = polls > 1;
      return {
        body: {
          id: "t",
          ingest_status: done ? "completed" : "processing",
          review_status: done ? "reviewed" : "pending",
          created_memory_id: done ? "m" : null,
        },
      };
    }),
  );
  const { client } = clientOf(server);
  await client.trace("t", (run) => run.setOutput({ trajectory: [], result: "pass" }), { blocking: true });
  assert.equal(polls, 2);
});

test("a blocking run throws if learning failed, and only warns if the server does not answer", async () => {
  await using server = await FakeServer.start(
    working(() => ({ body: { id: "t", ingest_status: "failed", last_ingest_error: "no model" } })),
  );
  const { client, log } = clientOf(server);
  const setOutput = (run: { setOutput(output: object): void }) =>
    run.setOutput({ trajectory: [], result: "pass" });
  await assert.rejects(client.trace("t", setOutput, { blocking: true }), {
    name: "IngestFailedError",
    message: "no model",
  });
  server.handler = working(() => refusal(403, "forbidden"));
  await client.trace("t", setOutput, { blocking: true });
  assert.match(log.text, /ends without waiting for its memory/);
});

test("waitUntil keeps the platform alive until the run is sent", async () => {
  await using server = await FakeServer.start(working());
  const { client } = clientOf(server);
  const kept: Promise<unknown>[] = [];
  await client.trace("t", (run) => run.step("user", "x"), { waitUntil: (promise) => kept.push(promise) });
  assert.equal(kept.length, 1);
  await Promise.all(kept);
  assert.equal(client.delivery.sent, 1);
});
