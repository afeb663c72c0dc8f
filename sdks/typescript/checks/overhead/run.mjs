/**
 * Measures what a run costs its process: processor time, and time that the agent waits.
 *
 *     node checks/overhead/run.mjs [--runs 200] [--at-most 1]
 *
 * The agent of the check answers at once, so the time of the same loop without the client is subtracted. The server is
 * real and is another process. `fetch` itself costs more than the client, so the client is also measured with a `fetch`
 * that answers at once, and one bare request is measured for comparison. Fails if a run costs more than the limit, in
 * milliseconds of processor time: recording with all its requests, and retrieving and recording without `fetch`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { ReflectClient } from "reflect-memory";
import { diskSpool } from "reflect-memory/node";

import { withLiveServer } from "../frameworks/world.mjs";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "200" }, "at-most": { type: "string", default: "1" } },
});
const RUNS = Number(values.runs);
const LIMIT = Number(values["at-most"]);
// A warm-up of the runtime and of the connection, as in a process that has been running for some time.
const WARM_UP = 200;
const ROUNDS = 3;

const ANSWER = "I refunded 24.00 to the card that paid for it. ".repeat(20);
const agent = async (prompt) => [
  { role: "user", content: prompt },
  { role: "assistant", content: "", tool_calls: [{ name: "find_order", arguments: { id: 1182 } }] },
  {
    role: "tool",
    name: "find_order",
    content: { status: "delivered", items: Array.from({ length: 20 }, (_, id) => ({ id })) },
  },
  { role: "assistant", content: ANSWER },
];

/**
 * Processor time and waiting time of one call of `body`, in milliseconds, after `end` has been waited for. Another
 * process can only make a round slower, so the fastest of three counts.
 */
async function costOf(body, end = async () => {}) {
  for (let index = 0; index < WARM_UP; index += 1) await body(index);
  await end();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const times = [];
    const cpu = process.cpuUsage();
    for (let index = 0; index < RUNS; index += 1) {
      const began = performance.now();
      await body(index);
      times.push(performance.now() - began);
    }
    await end();
    const { user, system } = process.cpuUsage(cpu);
    times.sort((one, other) => one - other);
    rounds.push({ cpu: (user + system) / 1000 / RUNS, waited: times[Math.floor(RUNS / 2)] });
  }
  return rounds.toSorted((one, other) => one.cpu - other.cpu)[0];
}

/** The answers of a server, without a connection. */
async function answered(url, { body }) {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const { task, traces = [] } = JSON.parse(text);
  const answer = url.endsWith("/augment")
    ? { task, augmented_task: task, memory_block: "", memories: [], retrieval_id: "r", degraded: false }
    : { results: traces.map(({ trace_id }) => ({ trace_id, ingest_status: "queued" })) };
  return new Response(JSON.stringify(answer));
}

const folder = mkdtempSync(join(tmpdir(), "reflect-overhead-"));
let failed = false;

/** Measures runs with a client, and prints the result. A limit is not checked for what is only for comparison. */
async function measure(name, client, bare, { retrieve, isLimited = true }) {
  const body = (index) =>
    client.trace(
      `Refund order ${index}`,
      async (run) => run.setOutput({ trajectory: await agent(run.augmentedTask), result: "pass" }),
      { retrieve },
    );
  const { cpu, waited } = await costOf(body, () => client.flush(60_000));
  const overhead = cpu - bare;
  const { sent, dropped, produced } = client.delivery;
  const complete = sent === produced && produced === ROUNDS * RUNS + WARM_UP;
  const fits = complete && (!isLimited || overhead <= LIMIT);
  failed ||= !fits;
  console.log(
    `${fits ? "ok  " : "FAIL"} ${name}: ${overhead.toFixed(3)} ms CPU per run, the agent waits ${waited.toFixed(2)} ms` +
      (complete ? "" : `; ${produced} runs, ${sent} sent, dropped ${JSON.stringify(dropped)}`),
  );
  await client.shutdown();
  return overhead;
}

try {
  await withLiveServer(async ({ base_url: baseUrl, api_key: apiKey }) => {
    const { cpu: bare } = await costOf(async (index) => agent(`Refund order ${index}`));
    const clientOf = (options) =>
      new ReflectClient({ baseUrl, apiKey, projectId: `overhead-${crypto.randomUUID()}`, ...options });
    const own = await measure(
      "retrieving and recording without fetch",
      clientOf({ fetch: answered }),
      bare,
      {},
    );
    await measure("recording", clientOf(), bare, { retrieve: false });
    await measure("recording on disk", clientOf({ spool: diskSpool({ folder }) }), bare, { retrieve: false });
    await measure("retrieving and recording", clientOf(), bare, { isLimited: false });
    const { cpu } = await costOf(async () => (await fetch(`${baseUrl}/health`)).text());
    console.log(`     one request with fetch alone: ${cpu.toFixed(3)} ms CPU`);
    console.log(`overhead: ${own.toFixed(3)} ms CPU per run, limit ${LIMIT} ms`);
  });
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failed ? 1 : 0;
