/** Converts spans of OpenAI Agents to chat messages. */

import type { ModelAnswer, ModelRequest } from "../../recorder/index.js";
import type { Message } from "../../types.js";
import { chatMessage } from "../messages/chat.js";
import { Items } from "../messages/items.js";
import { type Fields, plainFields, read, readList, readText, textOf } from "../messages/plain.js";

/** What the framework writes as the id of a streamed answer of the chat API. */
const FAKE_ID = "FAKE_ID";

/** A model call. */
export interface Exchange {
  readonly request: ModelRequest;
  readonly answer: ModelAnswer;
}

/** A call of the Responses API, without an answer if it failed; undefined if the span has no content. */
export function ofResponse(data: unknown): Exchange | undefined {
  const response = read(data, "_response");
  const input = read(data, "_input");
  if (response === undefined && input === undefined) return undefined;
  const instructions = readText(response, "instructions");
  const head = instructions === undefined ? [] : [{ role: "system", content: instructions }];
  const after = readText(response, "previous_response_id") ?? readText(read(response, "conversation"), "id");
  const messages = [...head, ...new Items().extend(input).messages()];
  return {
    request: { messages, after },
    answer: { messages: answerOf(response), id: readText(response, "id") },
  };
}

/** A call of the chat API or another model; undefined if the span has no content. */
export function ofGeneration(data: unknown): Exchange | undefined {
  const asked = read(data, "input");
  const given = read(data, "output");
  if (!Array.isArray(asked)) return undefined;
  const model = readText(data, "model");
  const usage = usageOf(read(data, "usage"));
  const completions = Array.isArray(given) ? given : [];
  const answer = completions.flatMap((completion) => completionMessages(completion));
  const last = answer.at(-1);
  if (last !== undefined && usage !== undefined) last.usage ??= usage;
  const messages = model === undefined ? answer : answer.map((message) => ({ model, ...message }));
  const id = completions.map((completion) => readText(completion, "id")).find((found) => found !== FAKE_ID);
  return { request: { messages: asked.map(chatMessage) }, answer: { messages, id } };
}

/** The result of a tool. */
export function ofTool(data: unknown, error: unknown): Message {
  const message: Message = {
    role: "tool",
    name: readText(data, "name") ?? "unknown",
    content: textOf(read(data, "output")),
  };
  if (error === null || error === undefined) return message;
  const reason = readText(read(error, "data"), "error") ?? readText(error, "message");
  // The model gets a general text; the reason is only in the span.
  return { ...message, content: message.content || reason || "failed", status: "error", error: reason };
}

/** A guardrail that stopped the run. */
export function ofGuardrail(data: unknown): Message {
  return { role: "system", content: `The guardrail ${readText(data, "name") ?? "unnamed"} was triggered.` };
}

/** A failed model call. */
export function ofError(error: unknown): Message {
  const details = { type: readText(error, "message") ?? "error", message: textOf(read(error, "data")) };
  return { role: "assistant", content: "", error: details };
}

/** The messages of a response of the Responses API, with its model and usage. */
function answerOf(response: unknown): Message[] {
  const model = readText(response, "model");
  const messages = new Items(model === undefined ? {} : { model })
    .extend(read(response, "output"))
    .messages();
  const answer = messages.findLast((message) => message.role === "assistant");
  const usage = usageOf(read(response, "usage"));
  if (answer !== undefined && usage !== undefined) answer.usage = usage;
  const reason = readText(read(response, "incomplete_details"), "reason");
  if (answer !== undefined && reason !== undefined) answer.finish_reason = reason;
  const error = read(response, "error");
  if (error !== null && error !== undefined) {
    messages.push({ role: "assistant", content: "", error: plainFields(error) });
  }
  return messages;
}

/** The messages in one output of a generation: a completion, a response, or a message. */
function completionMessages(output: unknown): Message[] {
  if (Array.isArray(read(output, "output"))) return answerOf(output);
  const choices = readList(output, "choices");
  if (choices.length === 0) return [chatMessage(output)];
  const model = readText(output, "model");
  const usage = usageOf(read(output, "usage"));
  return choices.map((choice) => ({
    ...chatMessage(read(choice, "message")),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
  }));
}

/** Token counts, by the names of the chat API or of the Responses API. */
function usageOf(usage: unknown): Fields | undefined {
  const count = (...names: string[]) =>
    names.map((name) => read(usage, name)).find((value) => typeof value === "number");
  const input = count("input_tokens", "inputTokens", "prompt_tokens");
  const output = count("output_tokens", "outputTokens", "completion_tokens");
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  const total = count("total_tokens", "totalTokens");
  return { input_tokens: input, output_tokens: output, total_tokens: total ?? input + output };
}
