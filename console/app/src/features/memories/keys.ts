// The keys of the list of situations. Delete has no key.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export function memoriesKeys(): readonly ActionSpec[] {
  const { groups, situations: labels, ...common } = t.memories.keys;
  const { list, edit, bulk } = groups;
  return [
    { action: "next", label: labels.next, group: list, keys: ["j", "ArrowDown"] },
    { action: "previous", label: labels.previous, group: list, keys: ["k", "ArrowUp"] },
    { action: "peek", label: labels.peek, group: list, keys: ["l"] },
    { action: "open", label: labels.open, group: list, keys: ["o"] },
    { action: "cancel", label: labels.cancel, group: list, keys: ["Escape"], whileTyping: true },
    { action: "filter", label: common.filter, group: list, keys: ["/"] },
    { action: "refresh", label: common.refresh, group: list, keys: ["."] },
    { action: "edit", label: labels.edit, group: edit, keys: ["e"] },
    { action: "disable", label: labels.disable, group: edit, keys: ["d"] },
    { action: "pin", label: labels.pin, group: edit, keys: ["p"] },
    { action: "quarantine", label: labels.quarantine, group: edit, keys: ["q"] },
    { action: "undo", label: common.undo, group: edit, keys: ["u"] },
    { action: "select", label: labels.select, group: bulk, keys: ["x"] },
    { action: "extend-down", label: common.extendDown, group: bulk, keys: ["Shift+J"] },
    { action: "extend-up", label: common.extendUp, group: bulk, keys: ["Shift+K"] },
    { action: "merge", label: labels.merge, group: bulk, keys: ["m"] },
    { action: "bulk", label: labels.bulk, group: bulk, keys: ["a"] },
    { action: "retire", label: labels.retire, group: bulk, keys: [] },
  ];
}
