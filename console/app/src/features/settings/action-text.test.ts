// The texts of actions.
import { expect, it } from "vitest";
import { actionText } from "./action-text";

it("describes an action in words, and an unknown one by its kind", () => {
  const text = (kind: string) => actionText({ kind, summary: {} });
  expect(["memory.edit", "lesson.group", "lesson.migrate", "future.kind"].map(text)).toEqual([
    "Lesson edited",
    "Lessons were grouped",
    "Older memories were grouped",
    "future.kind",
  ]);
});
