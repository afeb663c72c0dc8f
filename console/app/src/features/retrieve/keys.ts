// The keys of the retrieval page.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export function retrieveKeys(): readonly ActionSpec[] {
  const { keys } = t.retrieve;
  return [
    { action: "task", label: keys.editTask, group: keys.query, keys: ["/"] },
    { action: "ask", label: keys.send, group: keys.query, keys: ["Mod+Enter"], whileTyping: true },
    { action: "cancel", label: keys.leaveTask, group: keys.query, keys: ["Escape"], whileTyping: true },
    { action: "copy-text", label: keys.copyText, group: keys.result, keys: ["c"] },
    { action: "copy-code", label: keys.copyCode, group: keys.result, keys: ["y"] },
  ];
}
