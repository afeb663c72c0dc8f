// The keys of the memory page. Delete and erase have none.
import type { ActionSpec } from "../../keys/KeyProvider";

const EDIT = "Edit";

export const MEMORY_KEYS: readonly ActionSpec[] = [
  { action: "edit", label: "Edit the text", group: EDIT, keys: ["e"] },
  { action: "disable", label: "Disable or enable", group: EDIT, keys: ["d"] },
  { action: "pin", label: "Pin or unpin", group: EDIT, keys: ["p"] },
  { action: "quarantine", label: "Quarantine or release", group: EDIT, keys: ["q"] },
  { action: "merge", label: "Merge with the most similar", group: EDIT, keys: ["m"] },
  { action: "undo", label: "Undo the last change", group: EDIT, keys: ["u"] },
  { action: "delete", label: "Delete the memory", group: EDIT, keys: [] },
  { action: "erase", label: "Erase the memory permanently", group: EDIT, keys: [] },
  { action: "retire", label: "Remove everything from its source", group: EDIT, keys: [] },
  { action: "try", label: "Test retrieval", group: "Memory", keys: ["t"] },
  { action: "list", label: "Back to the list", group: "Memory", keys: ["Escape"] },
];
