/** Queues runs and delivers them in the background. Nothing here throws into the application. */

import type { DeliveryCounters, FlushResult, SpoolJournal } from "../types.js";
import { Unreachable, type Answer } from "../wire/http.js";
import { retryAfter } from "../wire/retry.js";
import { readBatchAnswer, type BatchOutcome, type RunOutcome } from "./answers.js";
import { Backoff, REFUSED_PAUSE, type Health } from "./backoff.js";
import { forgetPending, rememberPending } from "./exit.js";
import { Queue, type Entry, type QueueLimits } from "./queue.js";
import { unreferenced } from "./timers.js";

/** How runs are queued and batched. Times are in milliseconds. */
export interface OutboxSettings extends QueueLimits {
  /** How long a run waits for other runs to fill its batch. */
  readonly linger: number;
  /** How often runs of other processes are looked for. */
  readonly maintenance: number;
}

/** What an outbox needs from its client. */
export interface OutboxHost {
  readonly baseUrl: string;
  readonly projectId: string;
  /** The runs on disk, if the client has a spool. */
  readonly journal: SpoolJournal | undefined;
  /** Sends the JSON of a batch. Throws `Unreachable`. */
  post(body: Uint8Array, signal: AbortSignal): Promise<Answer>;
  /** Called after every batch, and with a spool at every maintenance. */
  report(counters: DeliveryCounters): void;
  /** Logs a message; one of the same kind at most once a minute. */
  warn(message: string, kind: string): void;
}

const DEFAULTS: OutboxSettings = {
  maxItems: 10_000,
  maxBytes: 64 * 2 ** 20,
  batchItems: 50,
  batchBytes: 2 ** 20,
  linger: 200,
  maintenance: 60_000,
};

const encoder = new TextEncoder();

/** The outbox of a client. */
export class Outbox {
  readonly #host: OutboxHost;
  readonly #settings: OutboxSettings;
  readonly #queue: Queue;
  readonly #backoff = new Backoff();
  /** Checks that end a wait when they return true. */
  readonly #waiting = new Set<() => void>();
  /** There may be runs of processes that have ended. */
  #sweep = true;
  /** Send once, regardless of pauses. */
  #push = false;
  #sending: Promise<void> | undefined;
  #stop = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #maintenance: ReturnType<typeof setInterval> | undefined;
  #batchItems: number;
  #reported = { sent: 0, dropped: 0 };

  constructor(host: OutboxHost, settings: Partial<OutboxSettings> = {}) {
    this.#host = host;
    this.#settings = { ...DEFAULTS, ...settings };
    this.#queue = new Queue(this.#settings);
    this.#batchItems = this.#settings.batchItems;
  }

  /** Writes a run to disk, if there is a spool, and queues it. */
  put(traceId: string, json: string, reviewed: boolean): void {
    const body = encoder.encode(json);
    const place = this.#host.journal?.append({ traceId, body });
    const entry = newEntry({ traceId, size: body.length, reviewed, adopted: false, body, place });
    this.#drop(this.#queue.add(entry), "full", "the queue is full");
    rememberPending(this);
    this.#schedule();
  }

  /** Sends all runs now, also those of earlier processes, and waits until the server has them or the time has passed. */
  async flush(timeout: number): Promise<FlushResult> {
    const wanted = this.#queue.pending;
    this.#sweep = true;
    await this.#wait(
      timeout,
      () =>
        // A rejected client stays rejected until the user fixes the cause.
        (this.#backoff.health === "refusing" && this.#isIdle) ||
        (!this.#sweep &&
          wanted.every((entry) => entry.stage === "done") &&
          this.#queue.pending.every((entry) => !entry.adopted)),
    );
    return this.#result();
  }

  /** Sends the runs that this process queued, and waits unless the server is unavailable. */
  async push(timeout: number): Promise<void> {
    const deadline = Date.now() + timeout;
    if (!this.hasOwn() || this.#backoff.unavailable) return;
    await this.#wait(
      timeout,
      () =>
        !this.hasOwn() || (this.#isIdle && (this.#backoff.unavailable || this.#backoff.notBefore > deadline)),
    );
  }

  /** Sends runs until the time has passed and leaves the rest to the next process. A later `put` goes on. */
  async close(timeout: number): Promise<FlushResult> {
    await this.push(timeout);
    this.handOver();
    return this.#result();
  }

  /** Leaves runs on disk to the next process, and drops those that are only in memory. */
  handOver(): void {
    const { journal } = this.#host;
    const { pending } = this.#queue;
    for (const entry of pending) {
      // The disk may have space again.
      if (entry.body) entry.place ??= journal?.append({ traceId: entry.traceId, body: entry.body });
    }
    this.#drop(
      pending.filter((entry) => !entry.place),
      "exit",
      "they could not be sent before the end",
    );
    this.#queue.count("left", this.#queue.finish(pending));
    journal?.release();
    this.#sweep = true;
    // A server that does not answer must not keep the process alive.
    this.#stop.abort();
    this.#stop = new AbortController();
    clearTimeout(this.#timer);
    clearInterval(this.#maintenance);
    this.#maintenance = undefined;
    this.#progress();
  }

  /** Whether a run of this process is not acknowledged: this one, or any. */
  hasOwn(traceId?: string): boolean {
    return this.#queue.own.some((entry) => traceId === undefined || entry.traceId === traceId);
  }

  /** Counts a run that was lost before it was queued. */
  countLost(reason: string): void {
    this.#queue.count("produced");
    this.#queue.countDropped(reason);
  }

  /** Counts a run that had nothing to send. */
  countEmpty(): void {
    this.#queue.count("empty");
  }

  /** The totals. */
  get counters(): DeliveryCounters {
    return this.#queue.counters;
  }

  get #isIdle(): boolean {
    return !this.#push && !this.#sending;
  }

  /** Sends now if a batch is due, else when it is. */
  #schedule(): void {
    if (this.#sending) return;
    if (this.#host.journal) {
      this.#maintenance ??= unreferenced(
        setInterval(() => {
          this.#sweep = true;
          this.#host.report(this.counters);
          this.#schedule();
        }, this.#settings.maintenance),
      );
    }
    const now = Date.now();
    const due = this.#sweep ? now : this.#queue.due(now, this.#waiting.size ? 0 : this.#settings.linger);
    const wait = this.#push ? 0 : Math.max(due, this.#backoff.notBefore) - now;
    clearTimeout(this.#timer);
    if (wait > 0) {
      if (wait < Infinity) this.#timer = unreferenced(setTimeout(() => this.#schedule(), wait));
      return;
    }
    this.#sending = this.#sendBatch(this.#stop.signal).finally(() => {
      this.#sending = undefined;
      this.#progress();
      this.#schedule();
    });
  }

  async #sendBatch(signal: AbortSignal): Promise<void> {
    // Callers of `put` go on before anything is read or sent.
    await Promise.resolve();
    let batch: Entry[] = [];
    try {
      if (this.#sweep) this.#adopt();
      batch = this.#queue.take(Date.now(), this.#batchItems, this.#push);
      this.#push = false;
      if (batch.length > 0) await this.#send(batch, signal);
    } catch (error) {
      if (signal.aborted) return;
      // Without an answer, or by a mistake in this package, which must not stop delivery permanently.
      this.#push = this.#sweep = false;
      this.#failed(batch, "down", error instanceof Unreachable ? error.message : String(error));
    }
  }

  /** Takes over one file of a process that has ended. */
  #adopt(): void {
    const found = this.#host.journal?.adopt();
    this.#sweep = found !== undefined;
    if (!found) return;
    this.#queue.count("adopted", found.expired);
    this.#queue.countDropped("expired", found.expired);
    for (const place of found.places) {
      this.#queue.add(newEntry({ ...place, reviewed: false, adopted: true, body: undefined, place }));
    }
  }

  async #send(taken: Entry[], signal: AbortSignal): Promise<void> {
    const { journal, baseUrl } = this.#host;
    const bodies: Uint8Array[] = [];
    const batch = taken.filter((entry) => {
      const body = entry.body ?? (entry.place && journal?.read(entry.place));
      if (body) bodies.push(body);
      else this.#drop([entry], "damaged", "their spool file could not be read");
      return body;
    });
    if (batch.length === 0) return;
    const answer = await this.#host.post(batchOf(bodies), signal);
    const result = readBatchAnswer(answer, batch.length, baseUrl);
    if (result.each) {
      this.#settle(batch, result.each);
      return;
    }
    // A run that repeatedly makes the server fail says nothing about the server's health.
    const repeated = result.split && batch.length === 1 && batch[0]!.attempts > 0;
    if (result.split) this.#split(batch, result);
    if (result.health !== "good" && !repeated)
      this.#failed(batch, result.health, result.message, retryAfter(answer));
  }

  #settle(batch: Entry[], each: readonly RunOutcome[]): void {
    this.#backoff.reset();
    this.#batchItems = Math.min(this.#settings.batchItems, this.#batchItems * 2);
    const now = Date.now();
    const accepted = batch.filter((_, index) => each[index]!.outcome === "accepted");
    this.#queue.count("sent", this.#finish(accepted));
    batch.forEach((entry, index) => {
      const { outcome, error } = each[index]!;
      if (outcome === "rejected") this.#reject(entry, error);
      if (outcome === "retry") this.#queue.postpone(entry, now);
    });
    if (each.every(({ outcome }) => outcome === "retry")) this.#backoff.recordFailure("busy", now);
    this.#host.report(this.counters);
  }

  /** Isolates the failing run of a batch by sending smaller batches. */
  #split(batch: Entry[], { foreign, health, message }: BatchOutcome): void {
    const [first] = batch as [Entry];
    if (batch.length > 1) {
      this.#batchItems = Math.ceil(batch.length / 2);
      this.#queue.giveBack(batch);
    } else if (health === "good") {
      // The server works and rejects this run.
      this.#backoff.reset();
      this.#reject(first, message);
    } else {
      this.#queue.postpone(first, Date.now(), foreign ? REFUSED_PAUSE : 0);
    }
  }

  #failed(batch: Entry[], health: Health, message: string, wait?: number): void {
    const before = this.#backoff.health;
    this.#queue.giveBack(batch);
    this.#backoff.recordFailure(health, Date.now(), wait);
    if (health === before || health === "busy") return;
    const { baseUrl, journal } = this.#host;
    const problem = health === "down" ? "cannot be reached" : "rejects this client";
    const text = `${baseUrl} ${problem} (${message}). Runs are kept ${journal ? "on disk" : "in memory"}.`;
    this.#host.warn(text, health);
  }

  #reject(entry: Entry, error: string): void {
    this.#drop([entry], "rejected", `the server rejects ${entry.traceId}: ${error}`);
  }

  #drop(entries: Entry[], reason: string, why: string): void {
    if (entries.length === 0) return;
    this.#queue.countDropped(reason, this.#finish(entries));
    this.#host.warn(
      `${entries.length} run(s) of project "${this.#host.projectId}" were dropped: ${why}.`,
      reason,
    );
  }

  #finish(entries: Entry[]): number {
    this.#host.journal?.settle(entries.flatMap(({ place }) => place ?? []));
    return this.#queue.finish(entries);
  }

  /** Pushes, and waits until a check returns true or the time has passed. */
  async #wait(timeout: number, finished: () => boolean): Promise<void> {
    this.#push = true;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve();
      };
      const check = () => {
        if (finished()) end();
      };
      const timer = setTimeout(end, timeout);
      this.#waiting.add(check);
      this.#schedule();
      check();
    });
  }

  #progress(): void {
    if (this.#queue.pending.length === 0) forgetPending(this);
    for (const check of this.#waiting) check();
  }

  /** The changes since the last result. */
  #result(): FlushResult {
    const { sent, pending, spooled, dropped: reasons } = this.counters;
    const dropped = total(reasons);
    const before = this.#reported;
    this.#reported = { sent, dropped };
    return { sent: sent - before.sent, pending, spooled, dropped: dropped - before.dropped };
  }
}

/** The sum of counts by reason. */
export function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function newEntry(given: Omit<Entry, "at" | "stage" | "attempts">): Entry {
  return { ...given, at: Date.now(), stage: "ready", attempts: 0 };
}

/** The JSON of a batch, from the JSON of its runs. */
function batchOf(bodies: readonly Uint8Array[]): Uint8Array {
  const parts = bodies.flatMap((body, index) => [encoder.encode(index ? "," : '{"traces":['), body]);
  parts.push(encoder.encode("]}"));
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
