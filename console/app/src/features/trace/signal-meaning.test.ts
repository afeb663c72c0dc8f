// What a signal means for the review of its run.
import { expect, it } from "vitest";
import { meaningOf } from "./signal-meaning";

const by = (reviewer: string, result: "pass" | "fail" = "fail") => ({ reviewer, result });

it("says whether the signal that decides is the review already", () => {
  const signal = { meaning: "decides", result: "fail" } as const;
  expect(meaningOf(signal, by("signal:ci"))).toBe("review");
  expect(meaningOf(signal, null)).toBe("next");
  // The review is replaced soon.
  expect(meaningOf(signal, by("signal:tests", "pass"))).toBe("next");
  expect(meaningOf(signal, by("judge:model", "pass"))).toBe("next");
});

it("leaves the last word to a person", () => {
  for (const meaning of ["decides", "agrees", "waits"] as const) {
    expect(meaningOf({ meaning, result: "fail" }, by("member:ana", "pass"))).toBe("overruled");
    expect(meaningOf({ meaning, result: "fail" }, by("key:9d2f41aa"))).toBe("confirmed");
  }
});

it("leaves the other meanings as they are", () => {
  for (const meaning of ["superseded", "outweighed", "unclear", "not_counted", "stopped"] as const) {
    expect(meaningOf({ meaning, result: null }, by("member:ana"))).toBe(meaning);
  }
  expect(meaningOf({ meaning: "waits", result: "pass" }, by("signal:ci"))).toBe("waits");
  expect(meaningOf({ meaning: "agrees", result: "fail" }, by("signal:ci"))).toBe("agrees");
});
