// The keys of the page for asking.
import type { ActionSpec } from "../../keys/KeyProvider";

const ASK = "Question";

export const RETRIEVE_KEYS: readonly ActionSpec[] = [
  { action: "task", label: "Write the task", group: ASK, keys: ["/"] },
  { action: "ask", label: "Ask", group: ASK, keys: ["Mod+Enter"], whileTyping: true },
  { action: "cancel", label: "Leave the task", group: ASK, keys: ["Escape"], whileTyping: true },
  { action: "copy-text", label: "Copy the text for the prompt", group: "Answer", keys: ["c"] },
  { action: "copy-code", label: "Copy the question as Python", group: "Answer", keys: ["y"] },
];
