/** Sends pending runs before the process exits, on platforms that have processes. */

/** What can be sent at exit. */
export interface Pending {
  push(timeout: number): Promise<void>;
  handOver(): void;
}

interface Process {
  on?: (event: string, listener: () => void) => unknown;
}

// How long the exit of the process may be delayed.
const TIMEOUT = 5_000;

const pending = new Set<Pending>();
let registered = false;

/** Sends these runs at exit, unless they are sent before. */
export function rememberPending(found: Pending): void {
  pending.add(found);
  if (registered) return;
  registered = true;
  const { process } = globalThis as { process?: Process };
  // The event loop is empty: timers of this package do not keep it alive. Sending does, until it ends.
  process?.on?.("beforeExit", () => {
    for (const each of pending) void each.push(TIMEOUT).finally(() => each.handOver());
  });
  // After `process.exit()`, which does not wait for anything.
  process?.on?.("exit", () => {
    for (const each of pending) each.handOver();
  });
}

/** Nothing is pending any more. */
export function forgetPending(found: Pending): void {
  pending.delete(found);
}
