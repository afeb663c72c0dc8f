// @vitest-environment jsdom
// Which queries an event makes stale.
import { expect, it } from "vitest";
import { staleAfter } from "./live-updates";

it("refetches the queries of a topic, except lists that the user reads", () => {
  expect(staleAfter("reviews")).toEqual(["reviews", "overview", "review-queue", "traces", "memories"]);
  expect(staleAfter("something-new")).toEqual(["something-new"]);
  expect(staleAfter("traces")).not.toContain("rows");
});

it("refetches memories after a review or an undone action", () => {
  expect(staleAfter("reviews")).toContain("memories");
  expect(staleAfter("actions")).toContain("memories");
});
