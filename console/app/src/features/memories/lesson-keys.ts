// The keys of the list of lessons.
import type { ActionSpec } from "../../keys/KeyProvider";

const LIST = "List";
const EDIT = "Edit";

export const LESSONS_KEYS: readonly ActionSpec[] = [
  { action: "next", label: "Next lesson", group: LIST, keys: ["j", "ArrowDown"] },
  { action: "previous", label: "Previous lesson", group: LIST, keys: ["k", "ArrowUp"] },
  { action: "open", label: "Open the lesson", group: LIST, keys: ["o"] },
  {
    action: "cancel",
    label: "Leave the filter, or clear the selection",
    group: LIST,
    keys: ["Escape"],
    whileTyping: true,
  },
  { action: "filter", label: "Filter", group: LIST, keys: ["/"] },
  { action: "refresh", label: "Show new entries", group: LIST, keys: ["."] },
  { action: "select", label: "Select the lesson", group: EDIT, keys: ["x"] },
  { action: "extend-down", label: "Extend the selection down", group: EDIT, keys: ["Shift+J"] },
  { action: "extend-up", label: "Extend the selection up", group: EDIT, keys: ["Shift+K"] },
  { action: "group", label: "Group the selection", group: EDIT, keys: ["m"] },
  { action: "undo", label: "Undo the last change", group: EDIT, keys: ["u"] },
];
