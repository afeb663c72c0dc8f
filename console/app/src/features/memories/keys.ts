// The keys of the list of memories. Deleting has none.
import type { ActionSpec } from "../../keys/KeyProvider";

const LIST = "List";
const CARE = "Care";
const MANY = "Many at once";

export const MEMORIES_KEYS: readonly ActionSpec[] = [
  { action: "next", label: "Next memory", group: LIST, keys: ["j", "ArrowDown"] },
  { action: "previous", label: "Previous memory", group: LIST, keys: ["k", "ArrowUp"] },
  { action: "peek", label: "Peek at the memory", group: LIST, keys: ["l"] },
  { action: "open", label: "Open the memory", group: LIST, keys: ["o"] },
  {
    action: "cancel",
    label: "Close the peek, or leave the filter",
    group: LIST,
    keys: ["Escape"],
    whileTyping: true,
  },
  { action: "filter", label: "Filter", group: LIST, keys: ["/"] },
  { action: "refresh", label: "Show what is new", group: LIST, keys: ["."] },
  { action: "edit", label: "Edit the text", group: CARE, keys: ["e"] },
  { action: "disable", label: "Disable, or enable again", group: CARE, keys: ["d"] },
  { action: "pin", label: "Pin, or pin no more", group: CARE, keys: ["p"] },
  { action: "quarantine", label: "Quarantine, or release", group: CARE, keys: ["q"] },
  { action: "undo", label: "Undo what was done last", group: CARE, keys: ["u"] },
  { action: "select", label: "Select the memory", group: MANY, keys: ["x"] },
  { action: "extend-down", label: "Extend the selection down", group: MANY, keys: ["Shift+J"] },
  { action: "extend-up", label: "Extend the selection up", group: MANY, keys: ["Shift+K"] },
  { action: "merge", label: "Merge the selection, or with the nearest", group: MANY, keys: ["m"] },
  { action: "bulk", label: "Change the selection", group: MANY, keys: ["a"] },
  { action: "retire", label: "Take out everything from one source", group: MANY, keys: [] },
];
