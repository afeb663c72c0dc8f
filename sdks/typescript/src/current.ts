/** The current run of the executing code. It needs `AsyncLocalStorage`, which Node, Bun, Deno and most edge runtimes have. */

import type { Run } from "./run.js";

interface Storage {
  getStore(): Run | undefined;
  run<T>(run: Run, body: () => T): T;
}

interface Platform {
  AsyncLocalStorage?: new () => Storage;
  process?: { getBuiltinModule?: (name: string) => { AsyncLocalStorage: new () => Storage } | undefined };
}

let storage: Storage | null | undefined;

/** The storage of this platform; null if it has none. */
function platformStorage(): Storage | null {
  if (storage === undefined) {
    const platform = globalThis as unknown as Platform;
    const found =
      platform.AsyncLocalStorage ??
      platform.process?.getBuiltinModule?.("node:async_hooks")?.AsyncLocalStorage;
    storage = found === undefined ? null : new found();
  }
  return storage;
}

/**
 * The innermost run that this code belongs to: inside the function given to `client.trace`, or `run.within`.
 *
 * Undefined on a platform without `AsyncLocalStorage`; pass the run explicitly there.
 */
export function currentRun(): Run | undefined {
  return platformStorage()?.getStore();
}

/** Runs a function as part of a run. */
export function within<T>(run: Run, body: () => T): T {
  const found = platformStorage();
  return found === null ? body() : found.run(run, body);
}
