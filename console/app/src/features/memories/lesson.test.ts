// A change of a lesson.
import { expect, it } from "vitest";
import { type Draft, editOf, filledFields, validateDraft } from "./lesson";

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
  // An emptied field is also a change.
  expect(editOf(draft, { ...draft, summary: "" })).toEqual({ summary: "" });
});

it("explains why a draft cannot be saved", () => {
  expect(validateDraft(draft)).toBeNull();
  expect(validateDraft({ ...draft, task: " " })).toMatch(/by its task/);
  expect(validateDraft({ ...draft, summary: " " })).toMatch(/at least one field/);
});

it("shows each text of a lesson once", () => {
  const names = (lesson: Draft, except?: string) => filledFields(lesson, except).map((field) => field.name);
  expect(names(draft)).toEqual(["summary"]);
  expect(names({ ...draft, guidance: "Look the price up. " })).toEqual(["summary"]);
  expect(names({ ...draft, guidance: "Call lookup_order." }, "Look the price up.")).toEqual(["guidance"]);
});
