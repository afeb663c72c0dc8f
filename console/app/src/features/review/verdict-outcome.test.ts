// What a verdict did, in words.
import { expect, it } from "vitest";
import type { Review } from "../../api/types";
import { verdictOutcome } from "./verdict-outcome";

const trace = {
  review: { result: "fail" } as Review,
  ingest_status: "completed" as const,
  created_memory_id: "m",
  last_ingest_error: null,
  linked_memory_ids: ["a", "b"],
};

it("says when the lesson follows, and whether the verdict is not stored yet", () => {
  expect(verdictOutcome(undefined, undefined).lesson).toBe("Lesson in about 15 s, unless you undo.");
  expect(verdictOutcome({ ...trace, review: null }, undefined).lesson).toBe("Not stored yet.");
});

it("names the saved lesson, and how many memories the verdict counted for", () => {
  expect(verdictOutcome(trace, "Look the price up.")).toEqual({
    counted: "Counted for 2 memories.",
    lesson: "Lesson saved: Look the price up.",
    memory: "m",
    failed: false,
  });
  expect(verdictOutcome({ ...trace, linked_memory_ids: [] }, "x").counted).toBeNull();
});

it("distinguishes a lesson in progress, no lesson, and a failed one", () => {
  const lesson = (more: object) => verdictOutcome({ ...trace, ...more }, undefined).lesson;
  expect(lesson({ ingest_status: "queued", created_memory_id: null })).toBe("The lesson is being written.");
  expect(lesson({ created_memory_id: null })).toBe("No new lesson.");
  expect(lesson({ ingest_status: "failed", last_ingest_error: "no model" })).toBe("No lesson: no model");
});
