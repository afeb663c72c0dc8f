// The changes of the grouping of a lesson as sentences.
import { expect, it } from "vitest";
import { describeChange, hasUndo, isAbout } from "./change-text";

const summary = { trace_id: "t", memory_ids: ["a"], lesson_id: "l", by: "use" };
const join = { kind: "lesson.join", summary };

it("finds the changes of a lesson and of its situations", () => {
  expect(isAbout(join, ["l"])).toBe(true);
  expect(isAbout(join, ["x", "a"])).toBe(true);
  expect(isAbout(join, ["x"])).toBe(false);
  expect(isAbout({ kind: "memory.pin", summary: { memory_id: "a" } }, ["a"])).toBe(false);
});

it("offers no undo for the grouping of older memories, which is reverted as a whole", () => {
  expect(hasUndo(join)).toBe(true);
  expect(hasUndo({ kind: "lesson.migrate" })).toBe(false);
});

it("says what happened, why, and with which run", () => {
  expect(describeChange(join)).toEqual({
    text: "A run joined this lesson: the run followed its advice.",
    trace: "t",
  });
  const absorbed = { ...join, summary: { ...summary, by: "text", absorbed_into: "b" } };
  expect(describeChange(absorbed).text).toBe(
    "A run with nearly the same task was counted with an existing situation: the text is the same.",
  );
  expect(describeChange({ kind: "lesson.split", summary: {} })).toEqual({
    text: "Situations were split off.",
    trace: null,
  });
  expect(describeChange({ kind: "lesson.newer", summary: {} }).text).toBe("lesson.newer");
});
