// A change of a lesson.
import { expect, it } from "vitest";
import { type Draft, editOf, problemOf } from "./lesson";

const draft: Draft = {
  task: "Refund an order",
  summary: "Look the price up.",
  guidance: "",
  key_mistake: "",
  correct_action: "",
  tools: "lookup_order, refund",
};

it("sends only what changed", () => {
  expect(editOf(draft, draft)).toBeNull();
  expect(editOf(draft, { ...draft, tools: " lookup_order,refund ," })).toBeNull();
  expect(editOf(draft, { ...draft, guidance: "Call lookup_order.", tools: "refund" })).toEqual({
    guidance: "Call lookup_order.",
    applicable_tools: ["refund"],
  });
  // An emptied field is a change, too.
  expect(editOf(draft, { ...draft, summary: "" })).toEqual({ summary: "" });
});

it("says why a draft cannot be kept", () => {
  expect(problemOf(draft)).toBeNull();
  expect(problemOf({ ...draft, task: " " })).toMatch(/found by its task/);
  expect(problemOf({ ...draft, summary: " " })).toMatch(/must say something/);
});
