// The keys of the list of traces.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export function tracesKeys(): readonly ActionSpec[] {
  const { keys } = t.traces;
  const { list, bulk } = t.traces.keyGroups;
  return [
    { action: "next", label: keys.next, group: list, keys: ["j", "ArrowDown"] },
    { action: "previous", label: keys.previous, group: list, keys: ["k", "ArrowUp"] },
    { action: "peek", label: keys.peek, group: list, keys: ["p"] },
    { action: "open", label: keys.open, group: list, keys: ["o"] },
    { action: "cancel", label: keys.cancel, group: list, keys: ["Escape"], whileTyping: true },
    { action: "filter", label: keys.filter, group: list, keys: ["/"] },
    { action: "refresh", label: keys.refresh, group: list, keys: ["."] },
    { action: "select", label: keys.select, group: bulk, keys: ["x"] },
    { action: "extend-down", label: keys.extendDown, group: bulk, keys: ["Shift+J"] },
    { action: "extend-up", label: keys.extendUp, group: bulk, keys: ["Shift+K"] },
    { action: "bulk", label: keys.bulk, group: bulk, keys: ["a"] },
  ];
}
