/** Produces runs until it is stopped or killed; then flushes and reports its drops. */

import { setTimeout as pause } from "node:timers/promises";

import { finish, ORDER, Runs, tell, told } from "./runs.mjs";

const runs = new Runs();
const stop = new AbortController();

async function produce() {
  while (!stop.signal.aborted) {
    await runs.one();
    await pause((ORDER.pause ?? 0) * 1000);
  }
}

const producing = Array.from({ length: ORDER.parallel }, produce);
tell("producing");
await told("stop");
stop.abort();
await Promise.all(producing);
tell("stopped");
await told("end");
const result = await runs.client.flush(60_000);
runs.noteDropped();
finish(result);
