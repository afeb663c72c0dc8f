/** The pending runs of a client, and what became of all of them. */

import type { DeliveryCounters, SpoolPlace } from "../types.js";
import { jitter } from "../wire/retry.js";

/** One run in the queue. `body` is undefined while it is on disk only, `place` while it is in memory only. */
export interface Entry {
  readonly traceId: string;
  readonly size: number;
  /** Whether it has a review. Such runs are dropped last. */
  readonly reviewed: boolean;
  /** Whether an earlier process queued it. */
  readonly adopted: boolean;
  body: Uint8Array | undefined;
  place: SpoolPlace | undefined;
  /** `done` is acknowledged, dropped, or left to the next process. */
  stage: "ready" | "retrying" | "sending" | "done";
  attempts: number;
  /** When it was queued, or when it may be sent again. */
  at: number;
}

/** Limits of the memory and of batches. */
export interface QueueLimits {
  /** The maximum number of runs in memory. */
  readonly maxItems: number;
  /** The maximum number of bytes of runs in memory. */
  readonly maxBytes: number;
  readonly batchItems: number;
  readonly batchBytes: number;
}

type Counter = "produced" | "adopted" | "sent" | "left" | "empty";

/** Runs in the order in which they arrived. */
export class Queue {
  readonly #limits: QueueLimits;
  readonly #pending = new Set<Entry>();
  readonly #dropped: Record<string, number> = {};
  readonly #counts: Record<Counter, number> = { produced: 0, adopted: 0, sent: 0, left: 0, empty: 0 };
  #ready = new Set<Entry>();
  readonly #retrying = new Set<Entry>();
  #retriesNext = false;
  #readyBytes = 0;
  #bytes = 0;
  #items = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** All runs that are neither acknowledged nor dropped. */
  get pending(): Entry[] {
    return [...this.#pending];
  }

  /** The pending runs that this process queued. */
  get own(): Entry[] {
    return this.pending.filter((entry) => !entry.adopted);
  }

  /** Counts runs. */
  count(counter: Counter, by = 1): void {
    this.#counts[counter] += by;
  }

  /** Counts runs that are lost. */
  countDropped(reason: string, by = 1): void {
    if (by > 0) this.#dropped[reason] = (this.#dropped[reason] ?? 0) + by;
  }

  /** Queues a run. Returns the runs that must be dropped for it: the oldest ones, those without a review first. */
  add(entry: Entry): Entry[] {
    this.count(entry.adopted ? "adopted" : "produced");
    this.#pending.add(entry);
    this.#move(entry, "ready");
    if (entry.body === undefined) return [];
    this.#bytes += entry.size;
    this.#items += 1;
    return this.#trim(entry);
  }

  /** The next batch. Runs that failed before get batches of their own: they may be the cause of the failure. */
  take(now: number, batchItems: number, pushed: boolean): Entry[] {
    const due = [...this.#retrying].filter((entry) => pushed || entry.at <= now);
    const retries = due.length > 0 && (this.#retriesNext || this.#ready.size === 0);
    this.#retriesNext = !retries;
    const batch: Entry[] = [];
    let size = 0;
    for (const entry of retries ? due : this.#ready) {
      size += entry.size;
      if (batch.length >= batchItems || (batch.length > 0 && size > this.#limits.batchBytes)) break;
      batch.push(entry);
    }
    for (const entry of batch) this.#move(entry, "sending");
    return batch;
  }

  /** When the next batch is due, if a run may wait `linger` for others; Infinity if there is nothing to send. */
  due(now: number, linger: number): number {
    if (this.#ready.size >= this.#limits.batchItems || this.#readyBytes >= this.#limits.batchBytes)
      return now;
    const [first] = this.#ready;
    return Math.min(first ? first.at + linger : Infinity, ...[...this.#retrying].map((entry) => entry.at));
  }

  /** Puts runs that were not sent back to the front. */
  giveBack(entries: readonly Entry[]): void {
    const behind = this.#ready;
    this.#ready = new Set();
    for (const entry of entries)
      if (entry.stage === "sending") this.#move(entry, entry.attempts ? "retrying" : "ready");
    for (const entry of behind) this.#ready.add(entry);
  }

  /** Schedules a retry of one run, after at least this time, without delaying the others. */
  postpone(entry: Entry, now: number, atLeast = 0): void {
    if (entry.stage !== "sending") return;
    entry.at = now + Math.max(atLeast, jitter(entry.attempts));
    entry.attempts += 1;
    this.#move(entry, "retrying");
  }

  /** These runs are acknowledged, or dropped, or left to the next process. Returns the number of those that were not yet. */
  finish(entries: readonly Entry[]): number {
    const open = entries.filter((entry) => entry.stage !== "done");
    for (const entry of open) {
      this.#move(entry, "done");
      this.#release(entry);
      this.#pending.delete(entry);
    }
    return open.length;
  }

  /** The totals. */
  get counters(): DeliveryCounters {
    const { left, ...counts } = this.#counts;
    const onDisk = this.pending.filter((entry) => entry.place).length;
    return {
      ...counts,
      pending: this.#pending.size - onDisk,
      spooled: onDisk + left,
      dropped: { ...this.#dropped },
    };
  }

  #move(entry: Entry, stage: Entry["stage"]): void {
    if (this.#ready.delete(entry)) this.#readyBytes -= entry.size;
    this.#retrying.delete(entry);
    entry.stage = stage;
    if (stage === "retrying") this.#retrying.add(entry);
    if (stage === "ready") {
      this.#ready.add(entry);
      this.#readyBytes += entry.size;
    }
  }

  #release(entry: Entry): void {
    if (entry.body === undefined) return;
    this.#bytes -= entry.size;
    this.#items -= 1;
    entry.body = undefined;
  }

  get #isFull(): boolean {
    return this.#bytes > this.#limits.maxBytes || this.#items > this.#limits.maxItems;
  }

  #trim(newest: Entry): Entry[] {
    const victims: Entry[] = [];
    const evict = (entry: Entry) => {
      this.#release(entry);
      // A run that is also on disk is read again when its turn comes.
      if (!entry.place) victims.push(entry);
    };
    // The newest run on disk has the longest to wait. One that does not fit into an empty memory is lost in any case.
    if (this.#isFull && (newest.place || newest.size > this.#limits.maxBytes)) evict(newest);
    for (const isNext of [(entry: Entry) => entry.place, (entry: Entry) => !entry.reviewed, () => true]) {
      for (const entry of this.#isFull ? this.#pending : []) {
        if (this.#isFull && entry.body && entry.stage !== "sending" && isNext(entry)) evict(entry);
      }
    }
    return victims;
  }
}
