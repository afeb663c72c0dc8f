/** Converts messages, answers and tool results of the AI SDK to chat messages. */

import { toolCall, toolMessage } from "../../recorder/index.js";
import type { Message, ToolCall } from "../../types.js";
import { contentFields, contentOf, separatorFor } from "../messages/content.js";
import { type Fields, isFields, plain, read, readList, readText, textOf } from "../messages/plain.js";

/** The normal reasons why an answer ends. Others, such as `length`, are recorded. */
const USUAL = new Set(["stop", "tool-calls"]);

/** The server refuses a task of more than 64 kB. */
const MAX_TASK = 16_000;

/** The messages of a model request, with its instructions as system messages. */
export function requestOf(request: unknown): Message[] {
  const instructions = read(request, "instructions");
  const head = typeof instructions === "string" ? [{ role: "system", content: instructions }] : instructions;
  return [
    ...(Array.isArray(head) ? head : isFields(head) ? [head] : []),
    ...readList(request, "messages"),
  ].flatMap(modelMessages);
}

/** The answer in the event at the end of a model call. Results of the provider's tools are apart: `toolResultsOf`. */
export function answerOf(event: unknown): Message {
  const parts = readList(event, "content").filter((part) => !isResult(part) && !isApproval(part));
  const message = assistantMessage(parts);
  const model = readText(event, "modelId");
  if (model !== undefined) message.model = model;
  const reason = readText(event, "finishReason");
  if (reason !== undefined && !USUAL.has(reason)) message["finish_reason"] = reason;
  const usage = usageOf(read(event, "usage"));
  if (usage !== undefined) message.usage = usage;
  return message;
}

/** The results in an answer: of tools that the provider ran, and of invalid calls. */
export function toolResultsOf(event: unknown): Message[] {
  return readList(event, "content").filter(isResult).map(toolOutputMessage);
}

/** The result of a tool, or its error: a `tool-result` or a `tool-error`. */
export function toolOutputMessage(output: unknown): Message {
  const failed = read(output, "type") === "tool-error";
  const content = textOf(read(output, failed ? "error" : "output"));
  return toolMessage(
    readText(output, "toolCallId"),
    readText(output, "toolName") ?? "unknown",
    content,
    failed,
  );
}

/** The text of the last message of the user, as far as a task may be long; undefined if there is none. */
export function taskOf(request: unknown): string | undefined {
  const last = readList(request, "messages").findLast((message) => read(message, "role") === "user");
  const text = contentOf(read(last, "content"), "\n").text;
  const texts = typeof text === "string" ? [text] : text.map((part) => readText(part, "text"));
  // Half of a character that has two units is not valid text.
  const task = texts
    .filter(Boolean)
    .join("\n")
    .trim()
    .slice(0, MAX_TASK)
    .replace(/[\uD800-\uDBFF]$/, "");
  return task || undefined;
}

/** One message of the AI SDK. A tool message contains the results of several calls. */
function modelMessages(message: unknown): Message[] {
  const role = readText(message, "role") ?? "other";
  const content = read(message, "content");
  if (role === "assistant") {
    const parts = Array.isArray(content) ? content : [{ type: "text", text: content }];
    const results = parts.filter(isResult).map(toolResultMessage);
    return [assistantMessage(parts.filter((part) => !isResult(part) && !isApproval(part))), ...results];
  }
  if (role === "tool") {
    return readList(message, "content").map((part) =>
      isResult(part) ? toolResultMessage(part) : { role: "user", content: textOf(part) },
    );
  }
  return [{ role, ...contentFields(contentOf(content, separatorFor(role))) }];
}

function assistantMessage(parts: readonly unknown[]): Message {
  const calls = parts.filter((part) => read(part, "type") === "tool-call").map(callOf);
  const others = parts.filter((part) => read(part, "type") !== "tool-call");
  const message: Message = { role: "assistant", ...contentFields(contentOf(others, "")) };
  if (calls.length > 0) message.tool_calls = calls;
  return message;
}

function callOf(part: unknown): ToolCall {
  const call = toolCall(readText(part, "toolCallId"), readText(part, "toolName"), plain(read(part, "input")));
  const error = read(part, "error");
  return error === undefined ? call : { ...call, error: textOf(error) };
}

/** A result in a message: its output has the form that is sent to the model. */
function toolResultMessage(part: unknown): Message {
  const output = read(part, "output");
  const kind = readText(output, "type") ?? "";
  const value = read(output, "value");
  const denied = kind === "execution-denied";
  const content = denied
    ? (readText(output, "reason") ?? "The execution was denied.")
    : kind === "content"
      ? contentOf(value, "\n").text
      : textOf(value);
  const failed = denied || kind.startsWith("error");
  return {
    ...toolMessage(readText(part, "toolCallId"), readText(part, "toolName") ?? "unknown", "", failed),
    content,
  };
}

function usageOf(usage: unknown): Fields | undefined {
  const [input, output] = [read(usage, "inputTokens"), read(usage, "outputTokens")];
  if (typeof input !== "number" && typeof output !== "number") return undefined;
  const total = read(usage, "totalTokens");
  return plain({ input_tokens: input, output_tokens: output, total_tokens: total }) as Fields;
}

function isResult(part: unknown): boolean {
  const kind = read(part, "type");
  return kind === "tool-result" || kind === "tool-error";
}

/** Requests for the approval of a tool call. The call itself is recorded. */
function isApproval(part: unknown): boolean {
  const kind = read(part, "type");
  return kind === "tool-approval-request" || kind === "tool-approval-response";
}
