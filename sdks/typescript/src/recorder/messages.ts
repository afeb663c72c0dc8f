/** Builds messages in the form that Reflect stores. */

import type { Message, ToolCall } from "../types.js";
import { toJson } from "../wire/encode.js";

// The maximum length of an error message.
const MAX_ERROR = 2000;

/** One tool call. Arguments become JSON text. */
export function toolCall(id: string | undefined, name: string | undefined, args: unknown): ToolCall {
  return {
    id: id ?? "",
    type: "function",
    function: { name: name || "unknown", arguments: asText(args ?? {}) },
  };
}

/** The result of a tool. `failed` marks it as an error. */
export function toolMessage(id: string | undefined, name: string, result: unknown, failed = false): Message {
  return {
    role: "tool",
    name,
    ...(id ? { tool_call_id: id } : {}),
    content: asText(result),
    ...(failed ? { status: "error" } : {}),
  };
}

/** A model call that failed. */
export function errorMessage(error: unknown): Message {
  const known =
    error instanceof Error
      ? { type: error.name, message: error.message }
      : { type: "error", message: asText(error) };
  return { role: "assistant", content: "", error: { ...known, message: known.message.slice(0, MAX_ERROR) } };
}

/** A text unchanged, null and undefined as an empty text, other values as JSON. Never throws. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return value instanceof Error ? `${value.name}: ${value.message}` : toJson(value);
}
