// The outbox: what was decided arrives, once, in order, whatever happens to the tab or the line.
import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Entry, type News, Outbox, type Sent } from "./outbox";

const DONE: Sent = { kind: "done", learnsAt: null };
const PASS = { kind: "review", result: "pass", feedback: null, replace: false } as const;
let name = "";
let number = 0;

beforeEach(() => {
  number += 1;
  name = `outbox-${number}`;
});
afterEach(() => vi.useRealTimers());

const traces = (entries: readonly Entry[]) => entries.map((entry) => entry.trace);

it("sends in the order of the decisions, each under a key of its own", async () => {
  const seen: Entry[] = [];
  const box = new Outbox(async (entry) => (seen.push(entry), DONE), name);
  for (const trace of ["a", "b", "c"]) void box.add("p", trace, PASS);
  await box.idle();
  expect(traces(seen)).toEqual(["a", "b", "c"]);
  expect(new Set(seen.map((entry) => entry.id)).size).toBe(3);
  expect(box.waiting).toEqual([]);
});

it("survives a tab that is killed: the next one sends what was left, under the same keys", async () => {
  const dead = new Outbox(async () => new Promise<Sent>(() => undefined), name);
  await Promise.all([dead.add("p", "a", PASS), dead.add("p", "b", PASS)]);
  const keys = dead.waiting.map((entry) => entry.id);

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

it("is ready when it knows what an earlier tab decided", async () => {
  const dead = new Outbox(async () => new Promise<Sent>(() => undefined), name);
  await dead.add("p", "a", PASS);
  const heir = new Outbox(async () => new Promise<Sent>(() => undefined), name);
  void heir.open();
  expect(heir.waiting).toEqual([]);
  await heir.ready();
  expect(traces(heir.waiting)).toEqual(["a"]);
});

it("keeps what got no answer and tries again later, in order", async () => {
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
  expect(traces(box.waiting)).toEqual(["a", "b"]);

  away = false;
  await vi.advanceTimersByTimeAsync(60_000);
  await box.idle();
  expect(seen).toEqual(["a", "b"]);
});

it("takes a verdict back that was not sent, and nothing arrives", async () => {
  const seen: string[] = [];
  let go: (sent: Sent) => void = () => undefined;
  const box = new Outbox((entry) => {
    seen.push(entry.trace);
    return new Promise((resolve) => {
      go = resolve;
    });
  }, name);
  void box.add("p", "a", PASS);
  await box.add("p", "b", PASS);
  await vi.waitFor(() => expect(seen).toEqual(["a"]));
  expect(box.recall("b")).toBe(true);
  expect(box.recall("a")).toBe(false);
  go(DONE);
  await box.idle();
  expect(seen).toEqual(["a"]);
});

it("tells of a conflict and of a refusal, and goes on with the rest", async () => {
  const answers: Sent[] = [{ kind: "conflict" }, { kind: "refused", why: "no such trace" }, DONE];
  const box = new Outbox(async () => answers.shift() ?? DONE, name);
  const news: News[] = [];
  box.listen((one) => one !== null && news.push(one));
  for (const trace of ["a", "b", "c"]) void box.add("p", trace, PASS);
  await box.idle();
  expect(news.map((one) => [one.entry.trace, one.sent.kind])).toEqual([
    ["a", "conflict"],
    ["b", "refused"],
    ["c", "done"],
  ]);
});
