// The outbox of verdicts. It stores verdicts in the browser before it sends them one by one: neither a closed tab
// nor a lost connection loses one. Each has its own idempotency key: a repeated call has no effect.
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

export type Command =
  | { kind: "review"; result: "pass" | "fail"; feedback: string | null; replace: boolean }
  | { kind: "withdraw" }
  | { kind: "defer"; seconds: number; note: string | null };

export type Entry = { seq?: number; id: string; project: string; trace: string; mail: Command };

/** The result of sending an entry. */
export type SendResult =
  | { kind: "done"; learnsAt: string | null }
  /** No response, or a temporary failure: the entry is kept and retried. */
  | { kind: "later" }
  /** Another reviewer gave a different verdict. */
  | { kind: "conflict" }
  | { kind: "refused"; why: string };

export type Delivery = { entry: Entry; sent: SendResult };
type Send = (entry: Entry) => Promise<SendResult>;

interface OutboxDb extends DBSchema {
  outbox: { key: number; value: Entry };
}

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;

export class Outbox {
  readonly #send: Send;
  readonly #db: Promise<IDBPDatabase<OutboxDb>>;
  readonly #listeners = new Set<(delivery: Delivery | null) => void>();
  #unsent: Entry[] = [];
  #opened: Promise<void> | null = null;
  #inFlight: string | null = null;
  #writes: Promise<unknown> = Promise.resolve();
  #running: Promise<void> | null = null;
  #retryMs = MIN_RETRY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: Send, name = "reflect-outbox") {
    this.#send = send;
    this.#db = openDB<OutboxDb>(name, 1, {
      upgrade: (db) => void db.createObjectStore("outbox", { keyPath: "seq", autoIncrement: true }),
    });
  }

  /** Unsent entries, oldest first. */
  get unsent(): readonly Entry[] {
    return this.#unsent;
  }

  /** Loads the entries of an earlier tab and sends them. */
  open(): Promise<void> {
    const loading = this.#load();
    this.#opened ??= loading;
    return loading;
  }

  /**
   * Resolves when the entries of an earlier tab are loaded. Their traces are decided and must not be shown
   * again.
   */
  ready(): Promise<void> {
    return this.#opened ?? this.open();
  }

  async #load(): Promise<void> {
    const stored = await this.#db.then((db) => db.getAll("outbox")).catch(() => []);
    const known = new Set(this.#unsent.map((entry) => entry.id));
    this.#unsent = [...stored.filter((entry) => !known.has(entry.id)), ...this.#unsent];
    this.#notify(null);
    this.flush();
  }

  /** Stores an entry and sends it soon. The promise resolves when it is stored. */
  add(project: string, trace: string, mail: Command): Promise<void> {
    const entry: Entry = { id: crypto.randomUUID(), project, trace, mail };
    this.#unsent = [...this.#unsent, entry];
    this.#notify(null);
    const written = this.#write(async (db) => {
      entry.seq = await db.add("outbox", { ...entry });
    });
    this.flush();
    return written;
  }

  /** Removes a verdict before it is sent. Returns false if it is too late. */
  cancelUnsent(trace: string): boolean {
    const entry = this.#unsent.findLast((one) => one.trace === trace && one.mail.kind === "review");
    if (entry === undefined || entry.id === this.#inFlight) return false;
    this.#remove(entry);
    return true;
  }

  /** Sends all entries in order until none is left or one must be retried later. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#running ??= this.#withLock(() => this.#run()).finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
    await this.#writes;
  }

  subscribe(listener: (delivery: Delivery | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #run(): Promise<void> {
    for (let entry = this.#unsent[0]; entry !== undefined; entry = this.#unsent[0]) {
      // Store the entry before sending it: if the response is lost, the entry must still exist.
      await this.#writes;
      this.#inFlight = entry.id;
      const sent = await this.#send(entry);
      this.#inFlight = null;
      if (sent.kind === "later") {
        this.#timer = setTimeout(() => this.flush(), this.#retryMs);
        this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2);
        this.#notify(null);
        return;
      }
      this.#retryMs = MIN_RETRY_MS;
      this.#remove(entry);
      this.#notify({ entry, sent });
    }
  }

  /**
   * Only one tab sends at a time. Entries of other tabs are in the same database and are sent at the next
   * start.
   */
  async #withLock(run: () => Promise<void>): Promise<void> {
    const locks = globalThis.navigator?.locks;
    if (locks === undefined) return run();
    await locks.request("reflect-outbox", run);
  }

  #remove(entry: Entry): void {
    this.#unsent = this.#unsent.filter((one) => one.id !== entry.id);
    void this.#write(async (db) => {
      if (entry.seq !== undefined) await db.delete("outbox", entry.seq);
    });
    this.#notify(null);
  }

  /** Runs writes one by one. Without storage, entries are still sent. */
  #write(work: (db: IDBPDatabase<OutboxDb>) => Promise<unknown>): Promise<void> {
    const written = this.#writes.then(async () => void (await work(await this.#db))).catch(() => undefined);
    this.#writes = written;
    return written;
  }

  #notify(delivery: Delivery | null): void {
    for (const listener of this.#listeners) listener(delivery);
  }
}
