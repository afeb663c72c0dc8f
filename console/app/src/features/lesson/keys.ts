// The keys of the lesson page.
import type { ActionSpec } from "../../keys/KeyProvider";

const EDIT = "Edit";

export const LESSON_KEYS: readonly ActionSpec[] = [
  { action: "edit", label: "Edit the text", group: EDIT, keys: ["e"] },
  { action: "group", label: "Group with another lesson", group: EDIT, keys: ["m"] },
  { action: "split", label: "Split the selected situations off", group: EDIT, keys: ["s"] },
  { action: "move", label: "Move the selected situation", group: EDIT, keys: ["v"] },
  { action: "undo", label: "Undo the last change", group: EDIT, keys: ["u"] },
  { action: "list", label: "Back to the list", group: "Lesson", keys: ["Escape"] },
];
