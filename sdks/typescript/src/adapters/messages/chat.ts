/** Converts messages of OpenAI's chat API. */

import type { Message } from "../../types.js";
import { chatCalls, contentFields, contentOf, separatorFor } from "./content.js";
import { plainFields, read, readText } from "./plain.js";

/** Fields that are handled apart or are redundant: `parsed` is in the text, `audio` contains bytes. */
const ELSEWHERE = new Set([
  "role",
  "content",
  "reasoning",
  "reasoning_content",
  "refusal",
  "tool_calls",
  "parsed",
  "audio",
]);

/** One message without empty fields. Audio is stored as its transcript. */
export function chatMessage(message: unknown): Message {
  const role = readText(message, "role") ?? "assistant";
  const content = contentOf(read(message, "content"), separatorFor(role));
  content.reasoning ||= readText(message, "reasoning_content") ?? readText(message, "reasoning") ?? "";
  content.refusal ||= readText(message, "refusal") ?? "";
  const kept: Message = { role, ...contentFields(content) };
  if (kept.content === "") kept.content = readText(read(message, "audio"), "transcript") ?? "";
  const calls = [...chatCalls(message), ...content.calls];
  if (calls.length > 0) kept.tool_calls = calls;
  for (const [name, value] of Object.entries(plainFields(message))) {
    const empty = value === null || (Array.isArray(value) && value.length === 0);
    if (!ELSEWHERE.has(name) && !empty) kept[name] = value;
  }
  return kept;
}
