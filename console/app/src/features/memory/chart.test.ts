// The geometry of the history chart.
import { expect, it } from "vitest";
import type { HistoryStep } from "../../api/memories";
import { type Box, chartOf, summarizeHistory, heightOf, describeStep } from "./chart";

const BOX: Box = { width: 110, height: 60, pad: 5 };
const step = (q_before: number, q_after: number, more: Partial<HistoryStep> = {}): HistoryStep => ({
  at: "2026-11-15T12:00:00Z",
  q_before,
  q_after,
  credit_before: null,
  credit_after: null,
  evidence_before: null,
  evidence_after: null,
  review: {
    review_id: "r",
    trace_id: null,
    result: "pass",
    reviewer: null,
    used: true,
    expected: null,
    withdrawn: false,
  },
  care: null,
  ...more,
});
const care = (kind: string, facet: string, undone = false) => ({
  review: null,
  care: { action_id: "a", kind, actor: "member:ana", facet, before: null, after: null, undone },
});

it("maps 1 to the top and 0 to the bottom, and clamps values", () => {
  expect([heightOf(1, BOX), heightOf(0, BOX), heightOf(0.5, BOX)]).toEqual([5, 55, 30]);
  expect([heightOf(1.2, BOX), heightOf(-1, BOX)]).toEqual([5, 55]);
});

it("draws one step per review, at equal distances", () => {
  const chart = chartOf([step(0.5, 0.65), step(0.65, 0.455)], BOX);
  expect(chart.utility).toBe("M5 30H38.3V22.5V22.5H71.7V32.3H105");
  expect(chart.marks.map((mark) => [mark.x, mark.y])).toEqual([
    [38.3, 22.5],
    [71.7, 32.3],
  ]);
});

it("draws the credit from its first known value", () => {
  expect(chartOf([step(0.5, 0.65)], BOX).credit).toBe("");
  const chart = chartOf([step(0.5, 0.65), step(0.65, 0.755, { credit_before: 0.5, credit_after: 0.6 })], BOX);
  expect(chart.credit).toBe("M38.3 30H71.7V25H105");
});

it("describes each mark", () => {
  const withdrawn = step(0.5, 0.5);
  if (withdrawn.review != null) withdrawn.review.withdrawn = true;
  const steps = [step(0.5, 0.65), withdrawn, step(0.65, 0.65, care("memory.edit", "evidence", true))];
  expect(chartOf(steps, BOX).marks.map((mark) => mark.kind)).toEqual(["pass", "withdrawn", "edit"]);
  expect(steps.map(describeStep)).toEqual([
    "pass, used",
    "pass, used, withdrawn",
    "edited, evidence halved, undone",
  ]);
  expect(summarizeHistory(steps)).toBe("1 review, 1 passed; 1 withdrawn and not counted; 1 other change");
  expect(summarizeHistory(steps.slice(0, 1))).toBe("1 review, 1 passed");
  expect(summarizeHistory([])).toBe("No review has changed it.");
});

it("says how it is known that a memory was used", () => {
  const inferred = step(0.5, 0.65);
  if (inferred.review != null) inferred.review.used_by = "text";
  expect(describeStep(inferred)).toBe("pass, used (inferred from texts)");
  expect(describeStep(step(0.5, 0.5, care("lesson.join", "lesson")))).toBe("joined a lesson");
});

it("draws nothing without data", () => {
  expect(chartOf([], BOX)).toEqual({ utility: "", credit: "", marks: [] });
});
