/** Clients for tests. */

import { ReflectClient } from "../../src/index.js";
import type { ClientOptions, Logger } from "../../src/index.js";

/** A logger that remembers. */
export class MemoryLogger implements Logger {
  readonly messages: string[] = [];

  warn(message: string): void {
    this.messages.push(message);
  }

  get text(): string {
    return this.messages.join("\n");
  }
}

/** A client of a fake server, with its log. */
export function clientOf(
  server: { url: string },
  options: ClientOptions = {},
): { client: ReflectClient; log: MemoryLogger } {
  const log = new MemoryLogger();
  const client = new ReflectClient({
    baseUrl: server.url,
    apiKey: "rf_test_1",
    projectId: "p",
    logger: log,
    ...options,
  });
  return { client, log };
}

/** Waits until a condition is true. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`timeout: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
