import { describe, expect, it } from "vitest";
import {
  recordAnswer,
  startCheck,
  randomSample,
  isPassed,
  SAMPLE_SIZE,
  currentRun,
  needsCheck,
  MAX_UNCHECKED,
} from "./spot-check";

describe("a spot check", () => {
  it("is needed for groups larger than the limit", () => {
    expect(needsCheck(MAX_UNCHECKED)).toBe(false);
    expect(needsCheck(MAX_UNCHECKED + 1)).toBe(true);
  });

  it("draws a random sample without duplicates", () => {
    const all = ["a", "b", "c", "d", "e", "f"];
    expect(randomSample(all, () => 0.999)).toEqual(["f", "e", "d"]);
    expect(randomSample(all, () => 0)).toEqual(["a", "b", "c"]);
    expect(new Set(randomSample(all)).size).toBe(SAMPLE_SIZE);
    expect(randomSample(["a"])).toEqual(["a"]);
  });

  it("passes when every verdict agrees", () => {
    let check = startCheck(["a", "b"]);
    expect(currentRun(check)).toBe("a");
    check = recordAnswer(check, "pass", "pass");
    expect(isPassed(check)).toBe(false);
    check = recordAnswer(check, "pass", "pass");
    expect(isPassed(check)).toBe(true);
    expect(currentRun(check)).toBeNull();
  });

  it("stops at the first different verdict", () => {
    let check = recordAnswer(startCheck(["a", "b"]), "fail", "pass");
    check = recordAnswer(check, "pass", "pass");
    expect(check.stopped).toBe(true);
    expect(isPassed(check)).toBe(false);
    expect(currentRun(check)).toBeNull();
  });

  it("does not pass without any run", () => {
    expect(isPassed(startCheck([]))).toBe(false);
  });
});
