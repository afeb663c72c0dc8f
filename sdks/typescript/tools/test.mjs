/**
 * Runs the tests on Node, Bun and Deno: the offline tests, and the live tests against a real server.
 *
 *     node tools/test.mjs [--offline] [node] [bun] [deno]
 */

import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";

import { RUNTIMES } from "./runtimes.mjs";

const root = new URL("..", import.meta.url).pathname;
const LIVE_SERVER = `${root}../../conformance/live_server.py`;
const chosen = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const runtimes = RUNTIMES.filter(({ name }) => chosen.length === 0 || chosen.includes(name));

/** The compiled test files of a folder. */
const filesIn = (folder) =>
  readdirSync(`${root}build/tests/${folder}`)
    .filter((name) => name.endsWith(".test.js"))
    .map((name) => `./build/tests/${folder}/${name}`);

let failed = 0;

function runOn({ name, test }, folder, env) {
  const [program, ...words] = test;
  // Node runs one file per processor at the same time by default, which makes its output hard to read.
  const { status, stdout, stderr } = spawnSync(program, [...words, ...filesIn(folder)], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) {
    failed += 1;
    console.log(`${stdout}\n${stderr}`);
  }
  console.log(`${name}, ${folder}: ${status === 0 ? "passed" : "FAILED"}`);
}

for (const runtime of runtimes) {
  runOn(runtime, "offline");
  runOn(runtime, "adapters");
}
if (!process.argv.includes("--offline")) {
  const server = spawn("python3", [LIVE_SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const { value, done } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  if (done) throw new Error(`${LIVE_SERVER} ended with ${await ended}`);
  const { base_url, api_key, failing_task } = JSON.parse(value);
  const env = { REFLECT_BASE_URL: base_url, REFLECT_API_KEY: api_key, REFLECT_FAILING_TASK: failing_task };
  for (const runtime of runtimes) runOn(runtime, "live", env);
  server.stdin.end();
  await ended;
}
console.log(`typescript: ${runtimes.length} runtimes, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
