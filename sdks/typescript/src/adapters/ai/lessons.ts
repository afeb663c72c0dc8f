/** Puts the memories of a run into a prompt: after the last message of the user, where `run.augmentedTask` has them. */

import type { LanguageModelMiddleware } from "ai";

import type { Message } from "../../types.js";
import { isFields, readText } from "../messages/plain.js";

type Transform = NonNullable<LanguageModelMiddleware["transformParams"]>;
/** The parameters of a model call. */
export type ModelParams = Parameters<Transform>[0]["params"];
type Prompt = ModelParams["prompt"];

/** The prompt with the memories. Unchanged if it already has them, or no message of the user. */
export function promptWith(prompt: Prompt, block: string): Prompt {
  const at = placeOf(prompt, block);
  const asked = prompt[at];
  return asked === undefined
    ? prompt
    : prompt.with(at, { ...asked, content: below(asked.content, block) } as typeof asked);
}

/** The same for recorded messages, so that the trace has what the model received. */
export function messagesWith(messages: readonly Message[], block: string): readonly Message[] {
  const at = placeOf(messages, block);
  const asked = messages[at];
  return asked === undefined
    ? messages
    : messages.with(at, { ...asked, content: below(asked.content, block) });
}

/** The index of the last message of the user; -1 if there is nothing to add. */
function placeOf(messages: readonly { role: string; content?: unknown }[], block: string): number {
  if (block === "" || messages.some((message) => contains(message.content, block))) return -1;
  return messages.findLastIndex((message) => message.role === "user");
}

/** A content, and the memories below it: in its last text, because some servers accept only one. */
function below(content: unknown, block: string): unknown {
  if (typeof content === "string") return content === "" ? block : `${content}\n\n${block}`;
  const parts: unknown[] = Array.isArray(content) ? content : [];
  const at = parts.findLastIndex((part) => readText(part, "type") === "text");
  const part = parts[at];
  if (!isFields(part)) return [...parts, { type: "text", text: block }];
  return parts.with(at, { ...part, text: below(readText(part, "text") ?? "", block) });
}

function contains(content: unknown, block: string): boolean {
  if (typeof content === "string") return content.includes(block);
  return Array.isArray(content) && content.some((part) => readText(part, "text")?.includes(block));
}
