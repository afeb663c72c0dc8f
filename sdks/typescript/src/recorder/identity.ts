/**
 * Compares messages of repeated conversations.
 *
 * Every call repeats the conversation, but not literally: whitespace may differ, the reasoning may be missing, and
 * arguments may be in a different order.
 */

import type { Message } from "../types.js";

/** A tool call: its id, its name and its arguments in a canonical order. */
export interface CallMark {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** The identity of a message. `key` has its role, its text and its tool calls; equal messages have equal keys. */
export interface Mark {
  readonly key: string;
  readonly calls: readonly CallMark[];
}

/** The identity of a message. */
export function markOf(message: Message): Mark {
  const role = message.role === "developer" ? "system" : message.role;
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(callMark) : [];
  return { key: JSON.stringify([role, textOf(message.content), message.tool_call_id ?? "", calls]), calls };
}

/** Whether it is a system or developer message. They come first, and differ between agents. */
export function isInstruction(message: Message): boolean {
  return message.role === "system" || message.role === "developer";
}

/** The length of the common prefix of two conversations. */
export function alike(one: readonly Mark[], other: readonly Mark[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count]!.key === other[count]!.key) count += 1;
  return count;
}

/** How many messages at the end of `earlier` are the start of `later`, for a truncated history. */
export function overlap(earlier: readonly Mark[], later: readonly Mark[]): number {
  for (let count = Math.min(earlier.length, later.length); count > 0; count -= 1) {
    if (alike(earlier.slice(-count), later) >= count) return count;
  }
  return 0;
}

/** The arguments of a call in a canonical order, for comparison. */
export function argumentsOf(given: unknown): string {
  if (typeof given !== "string") return canonical(given ?? {});
  try {
    return canonical(JSON.parse(given));
  } catch {
    return given.trim();
  }
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : inner,
    ) ?? ""
  );
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content.trim();
  return content ? canonical(content) : "";
}

function callMark(call: unknown): CallMark {
  const outer = (typeof call === "object" && call !== null ? call : {}) as Record<string, unknown>;
  const inner = (
    typeof outer["function"] === "object" && outer["function"] !== null ? outer["function"] : outer
  ) as Record<string, unknown>;
  return {
    id: String(outer["id"] ?? ""),
    name: String(inner["name"] ?? ""),
    args: argumentsOf(inner["arguments"]),
  };
}
