// @vitest-environment jsdom
// Which queries an event makes stale.
import { expect, it } from "vitest";
import { staleAfter } from "./live-updates";

it("refetches the queries of a topic, except lists that the user reads", () => {
  expect(staleAfter("memories")).toEqual(["memories", "overview", "lessons", "lesson-questions"]);
  expect(staleAfter("something-new")).toEqual(["something-new"]);
  expect(staleAfter("traces")).not.toContain("rows");
  expect(staleAfter("lessons")).not.toContain("lesson-rows");
});

it("refetches memories after a review or an undone action", () => {
  expect(staleAfter("reviews")).toContain("memories");
  expect(staleAfter("actions")).toContain("memories");
  expect(staleAfter("reviews")).toContain("lesson-questions");
});

it("refetches signals after a review, an undone action or a changed rule", () => {
  expect(staleAfter("signals")).toEqual(["signals"]);
  for (const topic of ["reviews", "actions", "project"]) expect(staleAfter(topic)).toContain("signals");
});
