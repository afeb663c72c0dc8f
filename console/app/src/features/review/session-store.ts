// The review session of each project. It lives as long as the console is open, and loads more runs when needed.
import { useSyncExternalStore } from "react";
import { api, body } from "../../api/client";
import { ApiError } from "../../api/errors";
import type { QueueOrder } from "../../api/types";
import {
  type Change,
  applyChange,
  type ReviewSession,
  EMPTY_SESSION,
  openTraces,
  missingCount,
} from "./session";
import { changeLeases, LEASE_SECONDS } from "./leases";
import { outbox } from "./send";

/** The delay before a retry after a failed request. */
const RETRY_MS = 3_000;

export type QueueQuery = { order: QueueOrder; q: string };

/** What the page shows. A new object after every change: React skips a render if it gets the same one. */
type ReviewView = {
  session: ReviewSession;
  /** Whether the first response has arrived. */
  loaded: boolean;
  problem: Error | null;
};

export class SessionStore {
  readonly project: string;
  #session: ReviewSession = EMPTY_SESSION;
  #query: QueueQuery = { order: "informative", q: "" };
  #skipped = new Set<string>();
  #fillQueued = false;
  #queue: Promise<void> = Promise.resolve();
  #isFirstRequest = true;
  /** How often the server reported new runs. */
  #refills = 0;
  #problem: Error | null = null;
  #view: ReviewView = { session: EMPTY_SESSION, loaded: false, problem: null };
  readonly #listeners = new Set<() => void>();

  constructor(project: string) {
    this.project = project;
  }

  get session(): ReviewSession {
    return this.#session;
  }

  get view(): ReviewView {
    return this.#view;
  }

  /** The number of runs that the reviewer skipped. They stay in the queue for other reviewers. */
  get skippedCount(): number {
    return this.#skipped.size;
  }

  change(change: Change): void {
    this.#session = applyChange(this.#session, change);
    if (change.kind === "decided" && change.decision === "skipped") this.#skipped.add(change.trace);
    if (change.kind === "refilled") this.#refills += 1;
    this.#notify();
    this.fill();
  }

  /** Sets another order or filter: releases the leased runs and loads the queue again. */
  setQuery(query: QueueQuery): void {
    if (JSON.stringify(query) === JSON.stringify(this.#query)) return;
    this.#query = query;
    const leased = openTraces(this.#session);
    this.#isFirstRequest = true;
    this.#problem = null;
    // Release first: the new order must select from all runs.
    void this.releaseInOrder(leased);
    this.change({ kind: "reset" });
  }

  /** Loads more runs if few are left. Sends one request at a time. */
  fill(): void {
    if (this.#fillQueued) return;
    this.#fillQueued = true;
    void this.#enqueue(() => {
      this.#fillQueued = false;
      return this.#fillNow();
    });
  }

  async #fillNow(): Promise<void> {
    // Without this, runs that an earlier tab has decided would be loaded again.
    await outbox.ready();
    const count = missingCount(this.#session);
    if (count === 0) return;
    const query = this.#query;
    const refills = this.#refills;
    try {
      const response = await body(
        api.POST("/v1/projects/{project_id}/review-queue/next", {
          params: { path: { project_id: this.project } },
          body: {
            count,
            order: query.order,
            ...(query.q === "" ? {} : { q: query.q }),
            lease_seconds: LEASE_SECONDS,
            // Runs leased by a closed tab come first, except those it has decided.
            renew: this.#isFirstRequest,
            skip: [...this.#skipped, ...outbox.unsent.map((entry) => entry.trace)].slice(-1000),
          },
        }),
      );
      if (query !== this.#query)
        return void (await this.releaseNow(response.items.map((item) => item.trace_id)));
      this.#isFirstRequest = false;
      this.#problem = null;
      this.change({ kind: "arrived", traces: response.items, remaining: response.remaining });
      // New runs reported while the request was in flight may be missing from its response, and are not
      // reported again.
      if (response.items.length === 0 && refills !== this.#refills) this.change({ kind: "refilled" });
    } catch (thrown) {
      this.#problem = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#notify();
      if (thrown instanceof ApiError && thrown.isTransient) setTimeout(() => this.fill(), RETRY_MS);
    }
  }

  /** Renews the leases, and drops runs that other reviewers have leased. */
  renew(): Promise<void> {
    return this.#enqueue(() => this.#renewNow());
  }

  async #renewNow(): Promise<void> {
    // While a withdrawal is in the outbox, the server's state of that run is older than ours.
    const hasNoPendingEntry = (trace: string) => !outbox.unsent.some((entry) => entry.trace === trace);
    const held = openTraces(this.#session).filter(hasNoPendingEntry);
    if (held.length === 0) return;
    const response = await changeLeases(this.project, { trace_ids: held, lease_seconds: LEASE_SECONDS });
    if (response === null) return;
    const stillHeld = new Set(response.held.map((lease) => lease.trace_id));
    const lost = held.filter((trace) => !stillHeld.has(trace) && hasNoPendingEntry(trace));
    if (lost.length > 0) this.change({ kind: "lost", traces: lost });
  }

  /** Releases leases. Other reviewers can get the runs at once. */
  releaseInOrder(traces: string[]): Promise<void> {
    return this.#enqueue(() => this.releaseNow(traces));
  }

  /** The same without queueing, for a page that is being closed. */
  async releaseNow(traces: string[]): Promise<void> {
    if (traces.length > 0)
      await changeLeases(this.project, { trace_ids: traces.slice(0, 100), release: true });
  }

  /** Runs calls one by one: an earlier renewal must not renew a released lease. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work);
    return this.#queue;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #notify(): void {
    this.#view = { session: this.#session, loaded: !this.#isFirstRequest, problem: this.#problem };
    for (const listener of this.#listeners) listener();
  }
}

const stores = new Map<string, SessionStore>();

export function sessionStoreOf(project: string): SessionStore {
  const store = stores.get(project) ?? new SessionStore(project);
  stores.set(project, store);
  return store;
}

export function useReviewView(store: SessionStore): ReviewView {
  return useSyncExternalStore(store.subscribe, () => store.view);
}
