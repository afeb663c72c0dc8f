// The outbox: every decision arrives once and in order, even if the tab or the connection fails.
import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Entry, type Delivery, Outbox, type SendResult } from "./outbox";

const DONE: SendResult = { kind: "done", learnsAt: null };
const PASS = { kind: "review", result: "pass", feedback: null, replace: false } as const;
let name = "";
let number = 0;

beforeEach(() => {
  number += 1;
  name = `outbox-${number}`;
});
afterEach(() => vi.useRealTimers());

const traces = (entries: readonly Entry[]) => entries.map((entry) => entry.trace);

it("sends in order, each with its own idempotency key", async () => {
  const seen: Entry[] = [];
  const box = new Outbox(async (entry) => (seen.push(entry), DONE), name);
  for (const trace of ["a", "b", "c"]) void box.add("p", trace, PASS);
  await box.idle();
  expect(traces(seen)).toEqual(["a", "b", "c"]);
  expect(new Set(seen.map((entry) => entry.id)).size).toBe(3);
  expect(box.unsent).toEqual([]);
});

it("survives a killed tab: the next one sends the rest with the same keys", async () => {
  const dead = new Outbox(async () => new Promise<SendResult>(() => undefined), name);
  await Promise.all([dead.add("p", "a", PASS), dead.add("p", "b", PASS)]);
  const keys = dead.unsent.map((entry) => entry.id);

  const seen: Entry[] = [];
  const heir = new Outbox(async (entry) => (seen.push(entry), DONE), name);
  await heir.open();
  await heir.idle();
  expect(seen.map((entry) => entry.id)).toEqual(keys);

  const third: Entry[] = [];
  const after = new Outbox(async (entry) => (third.push(entry), DONE), name);
  await after.open();
  await after.idle();
  expect(third).toEqual([]);
});

it("is ready when the entries of an earlier tab are loaded", async () => {
  const dead = new Outbox(async () => new Promise<SendResult>(() => undefined), name);
  await dead.add("p", "a", PASS);
  const heir = new Outbox(async () => new Promise<SendResult>(() => undefined), name);
  void heir.open();
  expect(heir.unsent).toEqual([]);
  await heir.ready();
  expect(traces(heir.unsent)).toEqual(["a"]);
});

it("keeps entries without a response and retries in order", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let away = true;
  const seen: string[] = [];
  const box = new Outbox(async (entry) => {
    if (away) return { kind: "later" };
    seen.push(entry.trace);
    return DONE;
  }, name);
  void box.add("p", "a", PASS);
  void box.add("p", "b", PASS);
  await vi.waitFor(async () => {
    await box.idle();
    expect(vi.getTimerCount()).toBe(1);
  });
  expect(traces(box.unsent)).toEqual(["a", "b"]);

  away = false;
  await vi.advanceTimersByTimeAsync(60_000);
  await box.idle();
  expect(seen).toEqual(["a", "b"]);
});

it("removes an unsent verdict, and nothing is sent", async () => {
  const seen: string[] = [];
  let go: (sent: SendResult) => void = () => undefined;
  const box = new Outbox((entry) => {
    seen.push(entry.trace);
    return new Promise((resolve) => {
      go = resolve;
    });
  }, name);
  void box.add("p", "a", PASS);
  await box.add("p", "b", PASS);
  await vi.waitFor(() => expect(seen).toEqual(["a"]));
  expect(box.cancelUnsent("b")).toBe(true);
  expect(box.cancelUnsent("a")).toBe(false);
  go(DONE);
  await box.idle();
  expect(seen).toEqual(["a"]);
});

it("reports a conflict and a rejection, and continues with the rest", async () => {
  const answers: SendResult[] = [{ kind: "conflict" }, { kind: "refused", why: "no such trace" }, DONE];
  const box = new Outbox(async () => answers.shift() ?? DONE, name);
  const deliveries: Delivery[] = [];
  box.subscribe((one) => one !== null && deliveries.push(one));
  for (const trace of ["a", "b", "c"]) void box.add("p", trace, PASS);
  await box.idle();
  expect(deliveries.map((one) => [one.entry.trace, one.sent.kind])).toEqual([
    ["a", "conflict"],
    ["b", "refused"],
    ["c", "done"],
  ]);
});
