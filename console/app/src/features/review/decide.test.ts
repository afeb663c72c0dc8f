// @vitest-environment jsdom
// The messages of decisions: each names its run, and undo confirms what it undid.
import "fake-indexeddb/auto";
import { beforeEach, expect, it, vi } from "vitest";
import { defer, recordVerdict, undo } from "./decide";
import { queued } from "./samples";
import { SessionStore } from "./session-store";

const visible = vi.hoisted(() => new Set<string>());
vi.mock("../../parts/notifications", () => ({
  notify: ({ text }: { text: string }) => {
    visible.add(text);
    return () => visible.delete(text);
  },
}));
vi.mock("../../api/client", () => {
  const ask = () => new Promise(() => undefined);
  return { api: { POST: ask, DELETE: ask }, body: (answer: unknown) => answer };
});

let store: SessionStore;
beforeEach(() => {
  visible.clear();
  store = new SessionStore("p");
  store.change({ kind: "arrived", traces: [queued("a"), queued("b"), queued("c")], remaining: 0 });
});

it("names the run whose verdict is undone, also after another run was deferred", () => {
  recordVerdict(store, "pass");
  defer(store, "day");
  expect([...visible]).toEqual(["Passed: task of a", "Deferred until tomorrow: task of b"]);
  undo(store);
  expect([...visible]).toEqual(["Pass undone: task of a"]);
  expect(store.session.at).toBe("a");
});

it("replaces the message of the previous verdict", () => {
  recordVerdict(store, "pass");
  recordVerdict(store, "fail");
  expect([...visible]).toEqual(["Failed: task of b"]);
});

it("names a run that another filter removed from the queue", () => {
  recordVerdict(store, "fail");
  store.change({ kind: "reset" });
  undo(store);
  expect([...visible]).toEqual(["Fail undone: task of a"]);
});
