// @vitest-environment jsdom
// What a change on the server makes stale.
import { expect, it } from "vitest";
import { staleAfter } from "./live";

it("reads again what a topic touches, and leaves lists alone that somebody reads", () => {
  expect(staleAfter("reviews")).toEqual(["reviews", "overview", "review-queue", "traces", "memories"]);
  expect(staleAfter("something-new")).toEqual(["something-new"]);
  expect(staleAfter("traces")).not.toContain("rows");
});

it("reads memories again when a review may have moved them, or an action was undone", () => {
  expect(staleAfter("reviews")).toContain("memories");
  expect(staleAfter("actions")).toContain("memories");
});
