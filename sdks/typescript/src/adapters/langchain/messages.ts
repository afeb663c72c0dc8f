/** Converts LangChain messages, and the arguments of its callbacks, to chat messages. */

import { toolCall, toolMessage } from "../../recorder/index.js";
import type { Message, ToolCall } from "../../types.js";
import { contentFields, contentOf, separatorFor } from "../messages/content.js";
import { type Fields, isFields, plainFields, read, readList, readText, textOf } from "../messages/plain.js";

const ROLES: Readonly<Record<string, string>> = {
  human: "user",
  user: "user",
  ai: "assistant",
  assistant: "assistant",
  system: "system",
  developer: "developer",
  tool: "tool",
  function: "function",
};
/** LangGraph throws these to interrupt or redirect a graph; they are not errors. */
const STOPS = new Set(["GraphBubbleUp", "GraphInterrupt", "NodeInterrupt", "ParentCommand"]);
const USAGE = ["input_tokens", "output_tokens", "total_tokens"];

/** One message: an object of LangChain, or one of the forms that LangChain accepts as a message. */
export function langchainMessage(message: unknown): Message {
  if (typeof message === "string") return { role: "user", content: message };
  if (Array.isArray(message) && message.length === 2 && typeof message[0] === "string") {
    const role = ROLES[message[0]] ?? message[0];
    return { role, content: contentOf(message[1], separatorFor(role)).text };
  }
  const kind = readText(message, "type");
  if (kind === undefined)
    return isFields(message) ? dictMessage(message) : { role: "other", content: textOf(message) };
  return ofClass(message, kind);
}

/** The answers of a model to the conversation of a call. */
export function answersOf(result: unknown): Message[] {
  const output = read(result, "llmOutput");
  const model = readText(output, "model_name") ?? readText(output, "model");
  return readList(result, "generations").flatMap((batch) =>
    (Array.isArray(batch) ? batch : []).map((generation: unknown) => {
      const message = read(generation, "message");
      const text = read(generation, "text");
      const kept =
        message === undefined ? { role: "assistant", content: textOf(text) } : langchainMessage(message);
      return model === undefined ? kept : { model, ...kept };
    }),
  );
}

/** The provider's id of the answer. */
export function answerId(result: unknown): string | undefined {
  const [batch] = readList(result, "generations");
  const [generation] = Array.isArray(batch) ? batch : [];
  const message = read(generation, "message");
  return readText(read(message, "response_metadata"), "id") ?? readText(message, "id");
}

/** The results of a tool: a value, a message, or a graph update with messages. */
export function toolResults(output: unknown, name: string, id: string | undefined): Message[] {
  const updated = messagesOfUpdate(output);
  if (updated.length > 0) return updated;
  const outputs = Array.isArray(output) && output.length > 0 ? output : [output];
  if (outputs.every(isToolMessage)) return outputs.map((entry) => ({ name, ...langchainMessage(entry) }));
  return [toolMessage(id, name, textOf(output))];
}

/** The result of a tool that threw an error; undefined if it only interrupted its graph. */
export function failedTool(error: unknown, name: string, id: string | undefined): Message | undefined {
  return isStop(error) ? undefined : toolMessage(id, name, textOf(error), true);
}

/** Whether LangGraph threw this to interrupt or redirect a graph. */
export function isStop(error: unknown): boolean {
  return STOPS.has(readText(error, "name") ?? "") || read(error, "is_bubble_up") === true;
}

/** A message in the form of the chat API. */
function dictMessage(message: Fields): Message {
  const role = readText(message, "role") ?? "other";
  return { ...plainFields(message), role: ROLES[role] ?? role };
}

function ofClass(message: unknown, kind: string): Message {
  const role =
    kind === "generic" || kind === "chat" ? (readText(message, "role") ?? "user") : (ROLES[kind] ?? "other");
  const content = contentOf(read(message, "content"), separatorFor(role));
  const more = read(message, "additional_kwargs");
  content.reasoning ||= readText(more, "reasoning_content") ?? "";
  content.refusal ||= readText(more, "refusal") ?? "";
  const kept: Message = { role, ...contentFields(content) };
  const calls = callsOf(message, content.calls);
  if (calls.length > 0) kept.tool_calls = calls;
  for (const name of ["name", "tool_call_id"]) {
    const text = readText(message, name);
    if (text !== undefined) kept[name] = text;
  }
  if (readText(message, "status") === "error") kept.status = "error";
  const about = read(message, "response_metadata");
  const model = readText(about, "model_name") ?? readText(about, "model");
  if (model !== undefined) kept.model = model;
  const usage = usageOf(message);
  if (usage !== undefined) kept.usage = usage;
  if (role === "other") kept.data = plainFields(message);
  return kept;
}

function callsOf(message: unknown, inContent: readonly ToolCall[]): ToolCall[] {
  const valid = readList(message, "tool_calls").map((call) =>
    toolCall(readText(call, "id"), readText(call, "name"), read(call, "args")),
  );
  // The arguments are not valid JSON; the text is kept.
  const invalid = readList(message, "invalid_tool_calls").map((call) => ({
    ...toolCall(readText(call, "id"), readText(call, "name"), read(call, "args") ?? ""),
    error: readText(call, "error") ?? "The arguments are not valid JSON.",
  }));
  const calls: ToolCall[] = [...valid, ...invalid];
  const known = new Set(calls.map((call) => call.id));
  // Some classes repeat the calls in the content; calls of provider tools are only there.
  return [...calls, ...inContent.filter((call) => !known.has(call.id))];
}

function usageOf(message: unknown): Fields | undefined {
  const usage = read(message, "usage_metadata");
  const counts = USAGE.map((name) => [name, read(usage, name)] as const).filter(
    ([, count]) => typeof count === "number",
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

function isToolMessage(value: unknown): boolean {
  return readText(value, "type") === "tool" && read(value, "tool_call_id") !== undefined;
}

/** A tool can return a command that adds messages to the state of its graph. */
function messagesOfUpdate(output: unknown): Message[] {
  const update = read(output, "update");
  const messages = Array.isArray(update) ? update : readList(update, "messages");
  return messages.filter(isToolMessage).map(langchainMessage);
}
