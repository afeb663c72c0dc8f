// The keys of the retrieval page.
import type { ActionSpec } from "../../keys/KeyProvider";

const ASK = "Query";

export const RETRIEVE_KEYS: readonly ActionSpec[] = [
  { action: "task", label: "Edit the task", group: ASK, keys: ["/"] },
  { action: "ask", label: "Send the query", group: ASK, keys: ["Mod+Enter"], whileTyping: true },
  { action: "cancel", label: "Leave the task field", group: ASK, keys: ["Escape"], whileTyping: true },
  { action: "copy-text", label: "Copy the prompt text", group: "Result", keys: ["c"] },
  { action: "copy-code", label: "Copy the query as Python", group: "Result", keys: ["y"] },
];
