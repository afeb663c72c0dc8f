// The review session: no run is lost or reviewed twice, and every verdict can be undone.
import { describe, expect, it } from "vitest";
import {
  PREFETCH_COUNT,
  type Change,
  applyChange,
  current,
  type ReviewSession,
  EMPTY_SESSION,
  openTraces,
  currentOpenTrace,
  missingCount,
} from "./session";
import { queued } from "./samples";

const after = (...changes: Change[]): ReviewSession => changes.reduce(applyChange, EMPTY_SESSION);
const arrived = (...ids: string[]): Change => ({
  kind: "arrived",
  traces: ids.map((id) => queued(id)),
  remaining: 0,
});
const pass = (trace: string): Change => ({ kind: "decided", trace, decision: "pass" });

describe("moving through the queue", () => {
  it("shows the first run and moves to the next one after a verdict", () => {
    const session = after(arrived("a", "b", "c"), pass("a"));
    expect(session.at).toBe("b");
    expect(openTraces(session)).toEqual(["b", "c"]);
  });

  it("does not move the reviewer when more runs arrive", () => {
    expect(after(arrived("a"), arrived("b", "c")).at).toBe("a");
  });

  it("shows a new run if none is open", () => {
    expect(after(arrived("a"), pass("a"), arrived("b")).at).toBe("b");
  });

  it("adds no run twice", () => {
    expect(after(arrived("a", "b"), arrived("b", "c")).items.map((item) => item.trace.trace_id)).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  it("returns to a run that was passed over", () => {
    const session = after(arrived("a", "b"), { kind: "moved", by: 1 }, pass("b"));
    expect(session.at).toBe("a");
  });

  it("looks back without a verdict, and allows none on a decided run", () => {
    const session = after(arrived("a", "b"), pass("a"), { kind: "moved", by: -1 });
    expect(current(session)?.decision).toBe("pass");
    expect(currentOpenTrace(session)).toBeNull();
    expect(applyChange(session, { kind: "mode", mode: "failing" }).mode).toBe("reading");
  });

  it("does not move a reviewer who looks back when more runs arrive", () => {
    const looksBack = after(arrived("a", "b"), pass("a"), { kind: "moved", by: -1 });
    expect(applyChange(looksBack, arrived("c")).at).toBe("a");
    expect(applyChange(looksBack, arrived()).at).toBe("a");
  });

  it("does not move a reviewer who looks back while the next runs are loading", () => {
    const skipped = after(arrived("a", "b"), pass("a"), { kind: "decided", trace: "b", decision: "skipped" });
    expect(applyChange(skipped, arrived("c")).at).toBe("c");
    const looksBack = applyChange(skipped, { kind: "moved", by: -1 });
    expect(applyChange(looksBack, arrived("c")).at).toBe("a");
    expect(after(arrived("a", "b"), { kind: "moved", by: 1 }, pass("b"), pass("a"), arrived("c")).at).toBe(
      "c",
    );
  });

  it("requests as many runs as are missing, and none when the queue is empty", () => {
    expect(missingCount(EMPTY_SESSION)).toBe(PREFETCH_COUNT + 1);
    expect(missingCount(after(arrived("a", "b", "c", "d")))).toBe(0);
    expect(missingCount(after(arrived("a", "b", "c", "d"), pass("a")))).toBe(1);
    expect(missingCount(after(arrived()))).toBe(0);
    expect(missingCount(after(arrived(), { kind: "refilled" }))).toBe(PREFETCH_COUNT + 1);
  });
});

describe("undo", () => {
  it("undoes the newest verdict first and shows its run", () => {
    const session = after(arrived("a", "b", "c"), pass("a"), {
      kind: "decided",
      trace: "b",
      decision: "fail",
    });
    expect(session.undoable.map((one) => one.trace)).toEqual(["b", "a"]);
    const once = applyChange(session, { kind: "undone", trace: "b" });
    expect([once.at, once.decided, openTraces(once)]).toEqual(["b", 1, ["b", "c"]]);
    const twice = applyChange(once, { kind: "undone", trace: "a" });
    expect([twice.at, twice.undoable]).toEqual(["a", []]);
  });

  it("keeps 20 verdicts, and no skip or deferral", () => {
    const ids = Array.from({ length: 30 }, (_, n) => `t${n}`);
    const session = after(arrived(...ids), ...ids.map(pass));
    expect(session.undoable).toHaveLength(20);
    expect(session.undoable[0]?.trace).toBe("t29");
    expect(after(arrived("a"), { kind: "decided", trace: "a", decision: "skipped" }).undoable).toEqual([]);
  });
});

describe("other reviewers", () => {
  it("drops runs leased by other reviewers, and moves on", () => {
    const session = after(arrived("a", "b", "c"), { kind: "lost", traces: ["a", "c"] });
    expect([session.at, openTraces(session)]).toEqual(["b", ["b"]]);
  });

  it("keeps decided runs", () => {
    const session = after(arrived("a", "b"), pass("a"), { kind: "lost", traces: ["a"] });
    expect(session.undoable).toHaveLength(1);
    expect(session.items).toHaveLength(2);
  });
});

describe("a rejected verdict", () => {
  it("cannot be undone and does not count", () => {
    const session = after(arrived("a", "b"), pass("a"), { kind: "rejected", trace: "a" });
    expect([session.undoable, session.decided, session.at]).toEqual([[], 0, "b"]);
  });

  it("counts when it replaces the other one, and does not move the reviewer", () => {
    const session = after(
      arrived("a", "b"),
      pass("a"),
      { kind: "rejected", trace: "a" },
      { kind: "mode", mode: "failing" },
      pass("a"),
    );
    expect([session.undoable.length, session.decided, session.at, session.mode]).toEqual([
      1,
      1,
      "b",
      "failing",
    ]);
  });
});

describe("feedback", () => {
  it("belongs to its run and is removed with the verdict", () => {
    const written = after(arrived("a", "b"), { kind: "typed", text: "wrong sum" }, { kind: "moved", by: 1 });
    expect(written.drafts).toEqual({ a: "wrong sum" });
    expect(applyChange(written, { kind: "decided", trace: "a", decision: "fail" }).drafts).toEqual({});
  });
});
