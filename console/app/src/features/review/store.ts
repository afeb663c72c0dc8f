// The desk of each project, kept while the console is open, and what it takes to fill it.
import { useSyncExternalStore } from "react";
import { api, body } from "../../api/client";
import { CallFailed } from "../../api/failure";
import type { QueueOrder, RunFilter } from "../../api/types";
import { type Change, changed, type Desk, EMPTY_DESK, open, wanting } from "./desk";
import { outbox } from "./post";

export const LEASE_SECONDS = 120;
/** When to ask again after there was no answer. */
const AGAIN_MS = 3_000;
const LONGEST_THOUGHT_MS = 120_000;

export type Wish = { order: QueueOrder; filter: RunFilter };

export class DeskStore {
  readonly project: string;
  #desk: Desk = EMPTY_DESK;
  #wish: Wish = { order: "informative", filter: {} };
  #skipped = new Set<string>();
  #asked = false;
  #line: Promise<void> = Promise.resolve();
  #fresh = true;
  /** How often something new was said to be there. */
  #refills = 0;
  #problem: Error | null = null;
  #seconds: { sum: number; since: number | null } = { sum: 0, since: null };
  readonly #listeners = new Set<() => void>();

  constructor(project: string) {
    this.project = project;
  }

  get desk(): Desk {
    return this.#desk;
  }

  /** Whether it is known what is there. */
  get looked(): boolean {
    return !this.#fresh;
  }

  get problem(): Error | null {
    return this.#problem;
  }

  /** How long a verdict took on average; null before the first. */
  get secondsEach(): number | null {
    return this.#desk.decided === 0 ? null : this.#seconds.sum / this.#desk.decided;
  }

  change(change: Change): void {
    this.#measure(change);
    this.#desk = changed(this.#desk, change);
    if (change.kind === "decided" && change.decision === "skipped") this.#skipped.add(change.trace);
    if (change.kind === "refilled") this.#refills += 1;
    this.#tell();
    this.fill();
  }

  /** Another order or filter: what lies here is given back, and the desk is filled anew. */
  wish(wish: Wish): void {
    if (JSON.stringify(wish) === JSON.stringify(this.#wish)) return;
    this.#wish = wish;
    const had = open(this.#desk);
    this.#fresh = true;
    // Given back first, so that the new order may choose among all.
    void this.giveBack(had);
    this.change({ kind: "emptied" });
  }

  /** Asks for more when few are left. One question at a time. */
  fill(): void {
    if (this.#asked) return;
    this.#asked = true;
    void this.#inLine(() => {
      this.#asked = false;
      return this.#fillNow();
    });
  }

  async #fillNow(): Promise<void> {
    // Before that, what a killed tab had decided would be asked again.
    await outbox.ready();
    const count = wanting(this.#desk);
    if (count === 0) return;
    const wish = this.#wish;
    const refills = this.#refills;
    try {
      const answer = await body(
        api.POST("/v1/projects/{project_id}/review-queue/next", {
          params: { path: { project_id: this.project } },
          body: {
            count,
            order: wish.order,
            filter: wish.filter,
            lease_seconds: LEASE_SECONDS,
            // What a closed tab still held comes first; but not what it had decided.
            renew: this.#fresh,
            skip: [...this.#skipped, ...outbox.waiting.map((entry) => entry.trace)].slice(-1000),
          },
        }),
      );
      if (wish !== this.#wish) return void (await this.release(answer.items.map((item) => item.trace_id)));
      this.#fresh = false;
      this.#problem = null;
      this.change({ kind: "arrived", traces: answer.items, remaining: answer.remaining });
      // What was said while the answer was on its way may not be in it, and will not be said again.
      if (answer.items.length === 0 && refills !== this.#refills) this.change({ kind: "refilled" });
    } catch (thrown) {
      this.#problem = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#tell();
      if (thrown instanceof CallFailed && thrown.mayPass) setTimeout(() => this.fill(), AGAIN_MS);
    }
  }

  /** Keeps what lies here, and lets go of what others have by now. */
  renew(): Promise<void> {
    return this.#inLine(() => this.#renewNow());
  }

  async #renewNow(): Promise<void> {
    // About a run whose verdict is being taken back the server knows less than this desk.
    const settled = (trace: string) => !outbox.waiting.some((entry) => entry.trace === trace);
    const held = open(this.#desk).filter(settled);
    if (held.length === 0) return;
    const answer = await this.#leases({ trace_ids: held, lease_seconds: LEASE_SECONDS });
    if (answer === null) return;
    const still = new Set(answer.held.map((lease) => lease.trace_id));
    const lost = held.filter((trace) => !still.has(trace) && settled(trace));
    if (lost.length > 0) this.change({ kind: "lost", traces: lost });
  }

  /** Gives traces back, so that others are given them at once. */
  giveBack(traces: string[]): Promise<void> {
    return this.#inLine(() => this.release(traces));
  }

  /** The same for a page that goes away and cannot wait for its turn. */
  async release(traces: string[]): Promise<void> {
    if (traces.length > 0) await this.#leases({ trace_ids: traces.slice(0, 100), release: true });
  }

  /** One call after the other: what was given back must not be renewed by a call that was sent before. */
  #inLine(work: () => Promise<void>): Promise<void> {
    this.#line = this.#line.then(work);
    return this.#line;
  }

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  async #leases(change: { trace_ids: string[]; lease_seconds?: number; release?: boolean }) {
    try {
      return await body(
        api.POST("/v1/projects/{project_id}/review-queue/leases", {
          params: { path: { project_id: this.project } },
          body: change,
          // It must also get through while the page goes away.
          keepalive: true,
        }),
      );
    } catch {
      // A lease that could not be changed ends by itself.
      return null;
    }
  }

  /** From one verdict to the next; pauses of minutes are not thinking. */
  #measure(change: Change): void {
    const now = performance.now();
    const verdict = change.kind === "decided" && (change.decision === "pass" || change.decision === "fail");
    if (verdict && this.#seconds.since !== null) {
      this.#seconds.sum += Math.min(LONGEST_THOUGHT_MS, now - this.#seconds.since) / 1000;
    }
    if (verdict || this.#seconds.since === null) this.#seconds.since = now;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const stores = new Map<string, DeskStore>();

export function deskOf(project: string): DeskStore {
  const store = stores.get(project) ?? new DeskStore(project);
  stores.set(project, store);
  return store;
}

export function useDesk(store: DeskStore): Desk {
  return useSyncExternalStore(store.listen, () => store.desk);
}
