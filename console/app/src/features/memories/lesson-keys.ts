// The keys of the list of lessons.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export function lessonsKeys(): readonly ActionSpec[] {
  const { groups, lessons: labels, ...common } = t.memories.keys;
  const { list, edit } = groups;
  return [
    { action: "next", label: labels.next, group: list, keys: ["j", "ArrowDown"] },
    { action: "previous", label: labels.previous, group: list, keys: ["k", "ArrowUp"] },
    { action: "open", label: labels.open, group: list, keys: ["o"] },
    { action: "cancel", label: labels.cancel, group: list, keys: ["Escape"], whileTyping: true },
    { action: "filter", label: common.filter, group: list, keys: ["/"] },
    { action: "refresh", label: common.refresh, group: list, keys: ["."] },
    { action: "select", label: labels.select, group: edit, keys: ["x"] },
    { action: "extend-down", label: common.extendDown, group: edit, keys: ["Shift+J"] },
    { action: "extend-up", label: common.extendUp, group: edit, keys: ["Shift+K"] },
    { action: "group", label: labels.group, group: edit, keys: ["m"] },
    { action: "undo", label: common.undo, group: edit, keys: ["u"] },
  ];
}
