// The keys of the list of traces.
import type { ActionSpec } from "../../keys/KeyProvider";

const LIST = "List";

export const TRACES_KEYS: readonly ActionSpec[] = [
  { action: "next", label: "Next run", group: LIST, keys: ["j", "ArrowDown"] },
  { action: "previous", label: "Previous run", group: LIST, keys: ["k", "ArrowUp"] },
  { action: "peek", label: "Preview the run", group: LIST, keys: ["p"] },
  { action: "open", label: "Open the run", group: LIST, keys: ["o"] },
  {
    action: "cancel",
    label: "Close the preview, or leave the filter",
    group: LIST,
    keys: ["Escape"],
    whileTyping: true,
  },
  { action: "filter", label: "Filter", group: LIST, keys: ["/"] },
  { action: "refresh", label: "Show new entries", group: LIST, keys: ["."] },
  { action: "select", label: "Select the run", group: "Bulk actions", keys: ["x"] },
  { action: "extend-down", label: "Extend the selection down", group: "Bulk actions", keys: ["Shift+J"] },
  { action: "extend-up", label: "Extend the selection up", group: "Bulk actions", keys: ["Shift+K"] },
  { action: "bulk", label: "One verdict for the selection", group: "Bulk actions", keys: ["a"] },
];
