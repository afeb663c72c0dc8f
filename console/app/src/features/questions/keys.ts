// The keys of the questions page.
import type { ActionSpec } from "../../keys/KeyProvider";

const ANSWER = "Answer";

export const QUESTIONS_KEYS: readonly ActionSpec[] = [
  { action: "first", label: "The first lesson is right", group: ANSWER, keys: ["1"] },
  { action: "second", label: "The second lesson is right", group: ANSWER, keys: ["2"] },
  { action: "both", label: "Both are right", group: ANSWER, keys: ["b"] },
  { action: "same", label: "They are the same lesson", group: ANSWER, keys: ["s"] },
  { action: "undo", label: "Undo the last change", group: ANSWER, keys: ["u"] },
  { action: "next", label: "Next question", group: "List", keys: ["j"] },
  { action: "previous", label: "Previous question", group: "List", keys: ["k"] },
];
