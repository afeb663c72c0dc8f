// @vitest-environment jsdom
// What a change on the server makes stale.
import { expect, it } from "vitest";
import { foreign, staleAfter } from "./live";

it("reads again what a topic touches, and leaves lists alone that somebody reads", () => {
  expect(staleAfter("reviews")).toEqual(["reviews", "overview", "review-queue", "traces"]);
  expect(staleAfter("something-new")).toEqual(["something-new"]);
  expect(staleAfter("traces")).not.toContain("rows");
});

it("does not count what was changed from here", () => {
  expect(foreign({ ids: ["a", "b"], count: 2 }, new Set(["a"]))).toBe(1);
  expect(foreign({ ids: ["a"], count: 1 }, new Set(["a"]))).toBe(0);
  // More were changed than a message names.
  expect(foreign({ ids: ["a"], count: 30 }, new Set(["a"]))).toBe(29);
  expect(foreign({}, new Set())).toBe(1);
});
