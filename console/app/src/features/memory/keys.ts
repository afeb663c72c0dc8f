// The keys of one memory. Deleting and erasing have none.
import type { ActionSpec } from "../../keys/KeyProvider";

const CARE = "Care";

export const MEMORY_KEYS: readonly ActionSpec[] = [
  { action: "edit", label: "Edit the text", group: CARE, keys: ["e"] },
  { action: "disable", label: "Disable, or enable again", group: CARE, keys: ["d"] },
  { action: "pin", label: "Pin, or pin no more", group: CARE, keys: ["p"] },
  { action: "quarantine", label: "Quarantine, or release", group: CARE, keys: ["q"] },
  { action: "merge", label: "Merge with the nearest", group: CARE, keys: ["m"] },
  { action: "undo", label: "Undo what was done last", group: CARE, keys: ["u"] },
  { action: "delete", label: "Delete the memory", group: CARE, keys: [] },
  { action: "erase", label: "Erase the memory for good", group: CARE, keys: [] },
  { action: "retire", label: "Take out everything from its source", group: CARE, keys: [] },
  { action: "try", label: "See it being retrieved", group: "Memory", keys: ["t"] },
  { action: "list", label: "Back to the list", group: "Memory", keys: ["Escape"] },
];
