/**
 * The common part of the test programs: runs with the client, each recorded in a run log.
 *
 * A line `b` is written before a run and a line `d` after it has ended, so the log shows what was produced even if the
 * process is killed.
 */

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { createInterface } from "node:readline";

import { ReflectClient } from "reflect-memory";
import { diskSpool } from "reflect-memory/node";

export const ORDER = JSON.parse(process.env.ORDER);

/** Runs of one project. */
export class Runs {
  #log = fs.openSync(ORDER.run_log, "a", 0o600);
  #text = "The sum is 4. ".repeat((ORDER.size ?? 2000) / 14 + 1);
  #number = 0;

  constructor(options = {}) {
    this.client = new ReflectClient({
      baseUrl: ORDER.base_url,
      apiKey: ORDER.api_key,
      projectId: ORDER.project,
      spool: ORDER.spool
        ? diskSpool({ folder: ORDER.spool, maxBytes: ORDER.bounds?.spool_bytes })
        : undefined,
      ...options,
    });
  }

  /** One run with a marker that no other run has. */
  async one() {
    const marker = this.#begin();
    await this.client.trace(`add ${marker}`, (run) => run.setOutput(this.#output()), {
      metadata: { marker },
    });
    this.#write("d", marker);
  }

  /** The same without retrieving memories, and without waiting for anything. */
  oneAtOnce() {
    const marker = this.#begin();
    const { result, trajectory } = this.#output();
    const review = result && { result };
    this.client.traces.enqueue({ task: `add ${marker}`, trajectory, metadata: { marker }, review });
    this.#write("d", marker);
  }

  /** Logs the drops that this process counted. */
  noteDropped() {
    this.#write("x", JSON.stringify(this.client.delivery.dropped));
  }

  #begin() {
    const marker = randomBytes(12).toString("hex");
    this.#write("b", marker);
    return marker;
  }

  #output() {
    this.#number += 1;
    // Every tenth run has a review; those are dropped last.
    const result = this.#number % 10 === 0 ? "pass" : undefined;
    return { trajectory: [{ role: "assistant", content: this.#text }], result };
  }

  /** Appends a line; it is written when this returns, also if the process is killed. */
  #write(kind, text) {
    fs.writeSync(this.#log, `${kind} ${text}\n`);
  }
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Waits for this word from the check. */
export async function told(word) {
  const { value } = await lines.next();
  if (value !== word) throw new Error(`expected ${word}, got ${value}`);
}

/** Sends a word to the check. */
export function tell(word) {
  fs.writeSync(1, `${word}\n`);
}

/** Prints what a flush returned, and lets the process end. */
export function finish({ pending, spooled }) {
  tell(`${pending} pending, ${spooled} spooled`);
  process.stdin.destroy();
}
