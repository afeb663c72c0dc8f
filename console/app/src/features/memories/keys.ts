// The keys of the list of situations. Delete has no key.
import type { ActionSpec } from "../../keys/KeyProvider";

const LIST = "List";
const EDIT = "Edit";
const BULK = "Bulk actions";

export const MEMORIES_KEYS: readonly ActionSpec[] = [
  { action: "next", label: "Next memory", group: LIST, keys: ["j", "ArrowDown"] },
  { action: "previous", label: "Previous memory", group: LIST, keys: ["k", "ArrowUp"] },
  { action: "peek", label: "Preview the memory", group: LIST, keys: ["l"] },
  { action: "open", label: "Open the memory", group: LIST, keys: ["o"] },
  {
    action: "cancel",
    label: "Close the preview, or leave the filter",
    group: LIST,
    keys: ["Escape"],
    whileTyping: true,
  },
  { action: "filter", label: "Filter", group: LIST, keys: ["/"] },
  { action: "refresh", label: "Show new entries", group: LIST, keys: ["."] },
  { action: "edit", label: "Edit the text", group: EDIT, keys: ["e"] },
  { action: "disable", label: "Disable or enable", group: EDIT, keys: ["d"] },
  { action: "pin", label: "Pin or unpin", group: EDIT, keys: ["p"] },
  { action: "quarantine", label: "Quarantine or release", group: EDIT, keys: ["q"] },
  { action: "undo", label: "Undo the last change", group: EDIT, keys: ["u"] },
  { action: "select", label: "Select the memory", group: BULK, keys: ["x"] },
  { action: "extend-down", label: "Extend the selection down", group: BULK, keys: ["Shift+J"] },
  { action: "extend-up", label: "Extend the selection up", group: BULK, keys: ["Shift+K"] },
  { action: "merge", label: "Merge the selection, or with the most similar", group: BULK, keys: ["m"] },
  { action: "bulk", label: "Change the selection", group: BULK, keys: ["a"] },
  { action: "retire", label: "Remove everything from one source", group: BULK, keys: [] },
];
