// The keys of the memory page. Delete and erase have none.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export function memoryKeys(): readonly ActionSpec[] {
  const { groups, ...labels } = t.memory.keys;
  const { edit, memory } = groups;
  return [
    { action: "edit", label: labels.edit, group: edit, keys: ["e"] },
    { action: "disable", label: labels.disable, group: edit, keys: ["d"] },
    { action: "pin", label: labels.pin, group: edit, keys: ["p"] },
    { action: "quarantine", label: labels.quarantine, group: edit, keys: ["q"] },
    { action: "merge", label: labels.merge, group: edit, keys: ["m"] },
    { action: "undo", label: labels.undo, group: edit, keys: ["u"] },
    { action: "delete", label: labels.delete, group: edit, keys: [] },
    { action: "erase", label: labels.erase, group: edit, keys: [] },
    { action: "retire", label: labels.retire, group: edit, keys: [] },
    { action: "try", label: labels.try, group: memory, keys: ["t"] },
    { action: "list", label: labels.list, group: memory, keys: ["Escape"] },
  ];
}
