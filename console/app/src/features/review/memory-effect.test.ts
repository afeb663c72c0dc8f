// The effect of a verdict on a memory.
import { expect, it } from "vitest";
import type { DigestMemory } from "../../api/types";
import { memoryEffect } from "./memory-effect";

const digest: DigestMemory = {
  id: "m",
  summary: "Look the price up.",
  status: "active",
  q_value: 0.5,
  q_value_after_pass: 0.65,
  q_value_after_fail: 0.35,
  evidence: 2,
};

it("has no count until the memory is loaded: that of the digest belongs to the credit", () => {
  expect(memoryEffect(digest, undefined)).toEqual({ now: 0.5, afterPass: 0.65, afterFail: 0.35, n: null });
});

it("uses the number of reviews of the q_value, with the value of the same moment", () => {
  const effect = memoryEffect(digest, { q_value: 0.65, reviews: 7 });
  expect(effect.n).toBe(7);
  expect(effect.now).toBe(0.65);
  expect(effect.afterPass).toBeCloseTo(0.755);
  expect(effect.afterFail).toBeCloseTo(0.455);
});
