// Verdicts on their way. They are written down in the browser first and sent one after the other, so that neither a
// closed tab nor a lost connection loses one. Each carries a key of its own, so that a repeat does nothing.
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** How long the server waits before it learns from a verdict of ours. */
export const GRACE_SECONDS = 15;

export type Mail =
  | { kind: "review"; result: "pass" | "fail"; feedback: string | null; replace: boolean }
  | { kind: "withdraw" }
  | { kind: "defer"; seconds: number; note: string | null };

export type Entry = { seq?: number; id: string; project: string; trace: string; mail: Mail };

/** What became of sending one. */
export type Sent =
  | { kind: "done"; learnsAt: string | null }
  /** No answer, or not now: it stays and is tried again. */
  | { kind: "later" }
  /** Somebody else said something else. */
  | { kind: "conflict" }
  | { kind: "refused"; why: string };

export type News = { entry: Entry; sent: Sent };
type Send = (entry: Entry) => Promise<Sent>;

interface Shelf extends DBSchema {
  outbox: { key: number; value: Entry };
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

export class Outbox {
  readonly #send: Send;
  readonly #shelf: Promise<IDBPDatabase<Shelf>>;
  readonly #listeners = new Set<(news: News | null) => void>();
  #waiting: Entry[] = [];
  #opened: Promise<void> | null = null;
  #inFlight: string | null = null;
  #writes: Promise<unknown> = Promise.resolve();
  #running: Promise<void> | null = null;
  #wait = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: Send, name = "reflect-outbox") {
    this.#send = send;
    this.#shelf = openDB<Shelf>(name, 1, {
      upgrade: (shelf) => void shelf.createObjectStore("outbox", { keyPath: "seq", autoIncrement: true }),
    });
  }

  /** What is not sent yet, the oldest first. */
  get waiting(): readonly Entry[] {
    return this.#waiting;
  }

  /** Takes up what an earlier tab left behind, and sends it. */
  open(): Promise<void> {
    const taken = this.#takeUp();
    this.#opened ??= taken;
    return taken;
  }

  /** Resolves when it is known what an earlier tab left behind: that much is decided and must not be asked again. */
  ready(): Promise<void> {
    return this.#opened ?? this.open();
  }

  async #takeUp(): Promise<void> {
    const left = await this.#shelf.then((shelf) => shelf.getAll("outbox")).catch(() => []);
    const known = new Set(this.#waiting.map((entry) => entry.id));
    this.#waiting = [...left.filter((entry) => !known.has(entry.id)), ...this.#waiting];
    this.#changed(null);
    this.flush();
  }

  /** Writes one down and sends it soon. The promise is for those who must know that it is safe. */
  add(project: string, trace: string, mail: Mail): Promise<void> {
    const entry: Entry = { id: crypto.randomUUID(), project, trace, mail };
    this.#waiting = [...this.#waiting, entry];
    this.#changed(null);
    const written = this.#write(async (shelf) => {
      entry.seq = await shelf.add("outbox", { ...entry });
    });
    this.flush();
    return written;
  }

  /** Takes a verdict back before it was sent; false when that is too late. */
  recall(trace: string): boolean {
    const entry = this.#waiting.findLast((one) => one.trace === trace && one.mail.kind === "review");
    if (entry === undefined || entry.id === this.#inFlight) return false;
    this.#forget(entry);
    return true;
  }

  /** Sends what waits, in order, until it is empty or something has to wait. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#running ??= this.#exclusively(() => this.#run()).finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
    await this.#writes;
  }

  listen(listener: (news: News | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #run(): Promise<void> {
    for (let entry = this.#waiting[0]; entry !== undefined; entry = this.#waiting[0]) {
      // Written down before it is sent: an answer that nobody hears must not be the only trace of it.
      await this.#writes;
      this.#inFlight = entry.id;
      const sent = await this.#send(entry);
      this.#inFlight = null;
      if (sent.kind === "later") {
        this.#timer = setTimeout(() => this.flush(), this.#wait);
        this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
        this.#changed(null);
        return;
      }
      this.#wait = FIRST_WAIT_MS;
      this.#forget(entry);
      this.#changed({ entry, sent });
    }
  }

  /** One tab sends at a time; the others' entries are in the same place and come with the next start. */
  async #exclusively(run: () => Promise<void>): Promise<void> {
    const locks = globalThis.navigator?.locks;
    if (locks === undefined) return run();
    await locks.request("reflect-outbox", run);
  }

  #forget(entry: Entry): void {
    this.#waiting = this.#waiting.filter((one) => one.id !== entry.id);
    void this.#write(async (shelf) => {
      if (entry.seq !== undefined) await shelf.delete("outbox", entry.seq);
    });
    this.#changed(null);
  }

  /** One write after the other. A browser that keeps nothing still sends. */
  #write(work: (shelf: IDBPDatabase<Shelf>) => Promise<unknown>): Promise<void> {
    const written = this.#writes
      .then(async () => void (await work(await this.#shelf)))
      .catch(() => undefined);
    this.#writes = written;
    return written;
  }

  #changed(news: News | null): void {
    for (const listener of this.#listeners) listener(news);
  }
}
