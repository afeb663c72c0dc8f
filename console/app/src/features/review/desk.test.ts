// The desk: nothing is lost, nothing is judged twice, every verdict can be taken back.
import { describe, expect, it } from "vitest";
import { AHEAD, type Change, changed, current, type Desk, EMPTY_DESK, open, openAt, wanting } from "./desk";
import { queued } from "./samples";

const after = (...changes: Change[]): Desk => changes.reduce(changed, EMPTY_DESK);
const arrived = (...ids: string[]): Change => ({
  kind: "arrived",
  traces: ids.map((id) => queued(id)),
  remaining: 0,
});
const pass = (trace: string): Change => ({ kind: "decided", trace, decision: "pass" });

describe("going through the queue", () => {
  it("shows the first that arrives and goes to the next with the verdict", () => {
    const desk = after(arrived("a", "b", "c"), pass("a"));
    expect(desk.at).toBe("b");
    expect(open(desk)).toEqual(["b", "c"]);
  });

  it("does not tear the reader away when more arrive", () => {
    expect(after(arrived("a"), arrived("b", "c")).at).toBe("a");
  });

  it("shows what arrives on a cleared desk", () => {
    expect(after(arrived("a"), pass("a"), arrived("b")).at).toBe("b");
  });

  it("takes nothing twice", () => {
    expect(after(arrived("a", "b"), arrived("b", "c")).items.map((item) => item.trace.trace_id)).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  it("comes back to what was passed over by looking ahead", () => {
    const desk = after(arrived("a", "b"), { kind: "moved", by: 1 }, pass("b"));
    expect(desk.at).toBe("a");
  });

  it("looks back without a verdict, and gives none on what has one", () => {
    const desk = after(arrived("a", "b"), pass("a"), { kind: "moved", by: -1 });
    expect(current(desk)?.decision).toBe("pass");
    expect(openAt(desk)).toBeNull();
    expect(changed(desk, { kind: "mode", mode: "failing" }).mode).toBe("reading");
  });

  it("asks for as many as are missing, and not when there are none", () => {
    expect(wanting(EMPTY_DESK)).toBe(AHEAD + 1);
    expect(wanting(after(arrived("a", "b", "c", "d")))).toBe(0);
    expect(wanting(after(arrived("a", "b", "c", "d"), pass("a")))).toBe(1);
    expect(wanting(after(arrived()))).toBe(0);
    expect(wanting(after(arrived(), { kind: "refilled" }))).toBe(AHEAD + 1);
  });
});

describe("undo", () => {
  it("takes back the newest first and shows that run again", () => {
    const desk = after(arrived("a", "b", "c"), pass("a"), { kind: "decided", trace: "b", decision: "fail" });
    expect(desk.undoable.map((one) => one.trace)).toEqual(["b", "a"]);
    const once = changed(desk, { kind: "undone", trace: "b" });
    expect([once.at, once.decided, open(once)]).toEqual(["b", 1, ["b", "c"]]);
    const twice = changed(once, { kind: "undone", trace: "a" });
    expect([twice.at, twice.undoable]).toEqual(["a", []]);
  });

  it("keeps twenty, and no skip or deferral", () => {
    const ids = Array.from({ length: 30 }, (_, n) => `t${n}`);
    const desk = after(arrived(...ids), ...ids.map(pass));
    expect(desk.undoable).toHaveLength(20);
    expect(desk.undoable[0]?.trace).toBe("t29");
    expect(after(arrived("a"), { kind: "decided", trace: "a", decision: "skipped" }).undoable).toEqual([]);
  });
});

describe("what others do", () => {
  it("drops what somebody else holds now, and goes on", () => {
    const desk = after(arrived("a", "b", "c"), { kind: "lost", traces: ["a", "c"] });
    expect([desk.at, open(desk)]).toEqual(["b", ["b"]]);
  });

  it("keeps what was decided before", () => {
    const desk = after(arrived("a", "b"), pass("a"), { kind: "lost", traces: ["a"] });
    expect(desk.undoable).toHaveLength(1);
    expect(desk.items).toHaveLength(2);
  });
});

describe("a verdict that was not taken", () => {
  it("cannot be undone, and is not counted", () => {
    const desk = after(arrived("a", "b"), pass("a"), { kind: "not-taken", trace: "a" });
    expect([desk.undoable, desk.decided, desk.at]).toEqual([[], 0, "b"]);
  });

  it("counts when it replaces the other one, and tears nobody away", () => {
    const desk = after(
      arrived("a", "b"),
      pass("a"),
      { kind: "not-taken", trace: "a" },
      { kind: "mode", mode: "failing" },
      pass("a"),
    );
    expect([desk.undoable.length, desk.decided, desk.at, desk.mode]).toEqual([1, 1, "b", "failing"]);
  });
});

describe("feedback", () => {
  it("stays with its run while others are looked at, and goes with its verdict", () => {
    const written = after(arrived("a", "b"), { kind: "wrote", text: "wrong sum" }, { kind: "moved", by: 1 });
    expect(written.drafts).toEqual({ a: "wrong sum" });
    expect(changed(written, { kind: "decided", trace: "a", decision: "fail" }).drafts).toEqual({});
  });
});
