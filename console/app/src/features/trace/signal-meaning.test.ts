// What a signal means for the review of its run.
import { expect, it } from "vitest";
import { meaningOf } from "./signal-meaning";

const by = (reviewer: string, result: "pass" | "fail" = "fail") => ({ reviewer, result });

it("says whether the signal that decides is the review already", () => {
  const signal = { source: "ci", meaning: "decides", result: "fail" } as const;
  expect(meaningOf(signal, by("signal:ci"))).toBe("review");
  expect(meaningOf(signal, null)).toBe("next");
  // The review is replaced soon.
  expect(meaningOf(signal, by("signal:tests", "pass"))).toBe("next");
  expect(meaningOf(signal, by("judge:model", "pass"))).toBe("next");
});

it("says that a signal agrees with a review that stays", () => {
  // A signal with the same result does not replace the review of a judge or of another source.
  for (const reviewer of ["judge:model", "signal:tests"]) {
    expect(meaningOf({ source: "ci", meaning: "decides", result: "fail" }, by(reviewer))).toBe("matches");
  }
  expect(meaningOf({ source: "user", meaning: "agrees", result: "fail" }, by("signal:ci"))).toBe("matches");
  expect(meaningOf({ source: "user", meaning: "agrees", result: "fail" }, null)).toBe("agrees");
});

it("leaves the last word to a person", () => {
  for (const meaning of ["decides", "agrees", "waits"] as const) {
    const signal = { source: "ci", meaning, result: "fail" } as const;
    expect(meaningOf(signal, by("member:ana", "pass"))).toBe("overruled");
    expect(meaningOf(signal, by("key:9d2f41aa"))).toBe("confirmed");
  }
});

it("leaves the other meanings as they are", () => {
  for (const meaning of ["superseded", "outweighed", "unclear", "not_counted", "stopped"] as const) {
    expect(meaningOf({ source: "ci", meaning, result: null }, by("member:ana"))).toBe(meaning);
  }
  expect(meaningOf({ source: "merge", meaning: "waits", result: "pass" }, by("signal:ci"))).toBe("waits");
});
