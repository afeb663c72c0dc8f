/** Runs that span several lines: as a function that `client.trace` calls, or as a run that the caller ends. */

import { outputOf, queryOf } from "./arguments.mjs";

/** By the ids of their traces: a run, and for `client.trace` how to end its function. */
const runs = new Map();

export const runCalls = {
  /** Starts `client.trace`, and returns when its function has started. */
  traced: async (client, { task, ...query }) => {
    const begun = deferred();
    const ended = deferred();
    const body = async (run) => {
      begun.resolve(run);
      await ended.promise;
    };
    const work = client.trace(task, body, queryOf(query));
    work.catch(begun.reject);
    const run = await begun.promise;
    runs.set(run.traceId, { run, ended, work });
    return shown(run);
  },
  set_output: (_, { run, output }) => {
    runs.get(run).run.setOutput(outputOf(output));
  },
  /** Lets the function end, with or without an error, and returns the error of `client.trace`. */
  return: async (_, { run: id, error }) => {
    const { ended, work } = taken(id);
    if (error === null) ended.resolve();
    else ended.reject(new Error(error));
    return { error: await work.then(() => null, (thrown) => thrown.message) };
  },
  run: async (client, { task, ...query }) => {
    const run = await client.startTrace(task, queryOf(query));
    runs.set(run.traceId, { run });
    return shown(run);
  },
  finish: async (_, { run: id, output }) => {
    const { run } = taken(id);
    run.setOutput(outputOf(output));
    await run.end();
    return run.traceId;
  },
};

/** A promise that is settled from outside. */
function deferred() {
  let resolve, reject;
  const promise = new Promise((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}

function taken(id) {
  const found = runs.get(id);
  runs.delete(id);
  return found;
}

function shown({ traceId, task, augmentedTask, memories, retrievalId, degraded }) {
  return { traceId, task, augmentedTask, memories, retrievalId, degraded };
}
