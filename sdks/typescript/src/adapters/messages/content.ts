/** Converts the content of a message of any framework: a text, or blocks. */

import { toolCall } from "../../recorder/index.js";
import type { Message, ToolCall } from "../../types.js";
import { type Fields, plain, plainFields, read, readList, readText } from "./plain.js";

const TEXTS = new Set(["text", "input_text", "output_text", "summary_text", "reasoning_text", "text-plain"]);
const THOUGHTS = new Set(["thinking", "reasoning", "reasoning_content"]);
/** Encrypted: only the provider can read them. */
const SEALED = new Set(["redacted_thinking", "encrypted_reasoning"]);
const CALLS = new Set([
  "tool_use",
  "tool_call",
  "function_call",
  "server_tool_use",
  "server_tool_call",
  "custom_tool_call",
]);

/** The parts of a content. */
export interface Content {
  text: string | Fields[];
  reasoning: string;
  refusal: string;
  calls: ToolCall[];
}

/** Splits a content into its parts. Texts are joined; with an image or a file, blocks are kept. */
export function contentOf(value: unknown, between: string): Content {
  if (typeof value === "string") return { text: value, reasoning: "", refusal: "", calls: [] };
  const found: Content = { text: "", reasoning: "", refusal: "", calls: [] };
  const parts: Fields[] = [];
  for (const block of blocksOf(value)) sort(block, found, parts);
  const texts = parts.flatMap((part) =>
    part.type === "text" && typeof part.text === "string" ? [part.text] : [],
  );
  found.text = texts.length === parts.length ? texts.join(between) : parts;
  return found;
}

/** The text between the blocks of a message of this role. An answer is one text, other messages are separate ones. */
export function separatorFor(role: string): string {
  return role === "assistant" ? "" : "\n";
}

/** The fields of a message with this content. A refusal is the content if there is no other text. */
export function contentFields(content: Content): Pick<Message, "content"> & Fields {
  return {
    content: content.text.length > 0 ? content.text : content.refusal,
    ...(content.reasoning === "" ? {} : { reasoning: content.reasoning }),
    ...(content.refusal === "" ? {} : { refusal: content.refusal }),
  };
}

/** The readable text of a reasoning block or item. */
export function thoughtsOf(block: unknown): string {
  for (const name of ["thinking", "reasoning", "reasoning_content", "text"]) {
    const text = readText(block, name);
    if (text !== undefined) return text;
  }
  const parts = ["summary", "content", "rawContent"].flatMap((name) => blocksOf(read(block, name)));
  return parts
    .map((part) => (typeof part === "string" ? part : readText(part, "text")))
    .filter(Boolean)
    .join("\n");
}

function blocksOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined || value === "") return [];
  return Array.isArray(value) ? value : [value];
}

function sort(block: unknown, found: Content, parts: Fields[]): void {
  if (typeof block === "string") {
    parts.push({ type: "text", text: block });
    return;
  }
  const kind = readText(block, "type");
  const text = readText(block, "text");
  if (kind === undefined ? text !== undefined : TEXTS.has(kind)) {
    parts.push({ type: "text", text: text ?? "" });
  } else if (kind !== undefined && SEALED.has(kind)) {
    return;
  } else if (kind !== undefined && THOUGHTS.has(kind)) {
    found.reasoning = [found.reasoning, thoughtsOf(block)].filter(Boolean).join("\n");
  } else if (kind === "refusal") {
    found.refusal += readText(block, "refusal") ?? "";
  } else if (kind !== undefined && CALLS.has(kind)) {
    found.calls.push(callOf(block));
  } else {
    parts.push(plainFields(block));
  }
}

function callOf(block: unknown): ToolCall {
  const id = readText(block, "call_id") ?? readText(block, "id");
  const given = ["input", "args", "arguments"]
    .map((name) => read(block, name))
    .find((value) => value != null);
  return toolCall(id, readText(block, "name"), plain(given));
}

/** The tool calls of a message of the chat API, without what its client library adds. */
export function chatCalls(message: unknown): ToolCall[] {
  return readList(message, "tool_calls").map((call) => {
    const { index: _, ...kept } = plainFields(call);
    return kept as ToolCall;
  });
}
