import { describe, expect, it } from "vitest";
import { answered, begun, drawn, isPassed, LOOKED_AT, lookedAt, needsCheck, SMALL_GROUP } from "./spot-check";

describe("a spot check", () => {
  it("is asked for when there are more than one can see at a glance", () => {
    expect(needsCheck(SMALL_GROUP)).toBe(false);
    expect(needsCheck(SMALL_GROUP + 1)).toBe(true);
  });

  it("draws different runs, by lot", () => {
    const all = ["a", "b", "c", "d", "e", "f"];
    expect(drawn(all, () => 0.999)).toEqual(["f", "e", "d"]);
    expect(drawn(all, () => 0)).toEqual(["a", "b", "c"]);
    expect(new Set(drawn(all)).size).toBe(LOOKED_AT);
    expect(drawn(["a"])).toEqual(["a"]);
  });

  it("is passed when every look agrees", () => {
    let check = begun(["a", "b"]);
    expect(lookedAt(check)).toBe("a");
    check = answered(check, "pass", "pass");
    expect(isPassed(check)).toBe(false);
    check = answered(check, "pass", "pass");
    expect(isPassed(check)).toBe(true);
    expect(lookedAt(check)).toBeNull();
  });

  it("stops at the first that would get the other verdict, and stays stopped", () => {
    let check = answered(begun(["a", "b"]), "fail", "pass");
    check = answered(check, "pass", "pass");
    expect(check.stopped).toBe(true);
    expect(isPassed(check)).toBe(false);
    expect(lookedAt(check)).toBeNull();
  });

  it("is not passed by looking at nothing", () => {
    expect(isPassed(begun([]))).toBe(false);
  });
});
