/**
 * Converts items of OpenAI's Responses API, and of OpenAI Agents, to chat messages.
 *
 * Both have one item per event: a message, reasoning, a tool call, a tool output. Items of the same answer become one
 * message. Tools that run at the provider are recognised by the structure of their items, not by a list of names.
 */

import { toolCall } from "../../recorder/index.js";
import type { Message } from "../../types.js";
import { contentFields, contentOf, separatorFor, thoughtsOf } from "./content.js";
import { type Fields, isFields, plain, plainFields, read, readText, textOf } from "./plain.js";

/** Fields with the result of a tool. */
const GIVEN = ["output", "outputs", "results", "result"];
/** Fields with the arguments of a tool. */
const ASKED = ["arguments", "input"];
/** Fields that are neither arguments nor results. */
const FORMAL = new Set([
  "id",
  "type",
  "status",
  "call_id",
  "callId",
  "name",
  "server_label",
  "namespace",
  "error",
  "created_by",
  "fingerprint",
  "providerData",
]);
const TROUBLE = new Set(["failed", "error"]);

/** Assembles items to messages, in order. */
export class Items {
  readonly #messages: Message[] = [];
  readonly #names = new Map<string, string>();
  /** Fields of every assistant message, such as the model. */
  readonly #marks: Fields;
  /** Reasoning that waits for the message it belongs to. */
  #thoughts = "";
  /** The current assistant message, to which tool calls are added. */
  #open: Message | undefined;

  constructor(marks: Fields = {}) {
    this.#marks = marks;
  }

  /** Adds items, or the text of a user. */
  extend(items: unknown): this {
    if (Array.isArray(items)) for (const item of items) this.#add(item);
    else if (items !== null && items !== undefined) this.#add(items);
    return this;
  }

  /** The messages so far. */
  messages(): Message[] {
    this.#settle();
    return this.#messages;
  }

  #add(item: unknown): void {
    if (typeof item === "string") {
      this.#put({ role: "user", content: item });
      return;
    }
    const kind = readText(item, "type");
    if (kind === "reasoning") {
      this.#thoughts = [this.#thoughts, thoughtsOf(item)].filter(Boolean).join("\n");
    } else if (kind === "message" || (kind === undefined && readText(item, "role") !== undefined)) {
      this.#message(item);
    } else if (kind !== undefined && /_(call|use)$/.test(kind)) {
      this.#call(item, kind);
    } else if (kind !== undefined && /_(output|result)$/.test(kind)) {
      this.#output(item, kind);
    } else {
      this.#other(item, kind);
    }
  }

  #message(item: unknown): void {
    const role = readText(item, "role") ?? "assistant";
    const content = contentOf(read(item, "content"), separatorFor(role));
    const message: Message = { role, ...contentFields(content) };
    if (content.calls.length > 0) message.tool_calls = content.calls;
    if (role !== "assistant") {
      this.#put(message);
      return;
    }
    if (readText(item, "status") === "incomplete") message.incomplete = true;
    this.#put({ ...this.#withThoughts(message), ...this.#marks }, true);
  }

  #call(item: unknown, kind: string): void {
    const id = idOf(item);
    const name = readText(item, "name") ?? kind.replace(/_(call|use)$/, "");
    const result = firstOf(item, GIVEN);
    const error = read(item, "error");
    this.#names.set(id, name);
    let message = this.#open;
    if (message === undefined || this.#thoughts !== "") {
      message = { ...this.#withThoughts({ role: "assistant", content: "" }), ...this.#marks };
      this.#put(message, true);
    }
    message.tool_calls = [
      ...(message.tool_calls ?? []),
      toolCall(id, name, firstOf(item, ASKED) ?? restOf(item)),
    ];
    if (result !== undefined || isFields(error)) this.#result(id, name, result ?? error, failed(item));
  }

  #output(item: unknown, kind: string): void {
    const id = idOf(item);
    const named = this.#names.get(id) ?? readText(item, "name");
    const name =
      named ?? (kind.startsWith("function_call") ? undefined : kind.replace(/(_call)?_(output|result)$/, ""));
    this.#result(id, name, firstOf(item, GIVEN) ?? restOf(item), failed(item));
  }

  #result(id: string, name: string | undefined, given: unknown, isError: boolean): void {
    const message: Message = { role: "tool", tool_call_id: id, content: resultContent(given) };
    if (name !== undefined) message.name = name;
    if (isError) message.status = "error";
    this.#put(message);
  }

  #other(item: unknown, kind: string | undefined): void {
    // An approval response comes from the user.
    const role = kind?.endsWith("_response") ? "user" : "assistant";
    this.#put({ role, content: "", item: plainFields(item), ...(role === "user" ? {} : this.#marks) });
  }

  #withThoughts(message: Message): Message {
    const reasoning = [this.#thoughts, message.reasoning].filter(Boolean).join("\n");
    this.#thoughts = "";
    return reasoning === "" ? message : { ...message, reasoning };
  }

  #put(message: Message, open = false): void {
    this.#settle();
    this.#messages.push(message);
    this.#open = open ? message : undefined;
  }

  /** Writes reasoning without a following message as its own message. */
  #settle(): void {
    if (this.#thoughts === "") return;
    const message = { ...this.#withThoughts({ role: "assistant", content: "" }), ...this.#marks };
    this.#messages.push(message);
    this.#open = message;
  }
}

function idOf(item: unknown): string {
  return readText(item, "call_id") ?? readText(item, "callId") ?? readText(item, "id") ?? "";
}

function firstOf(item: unknown, names: readonly string[]): unknown {
  const found = names.map((name) => read(item, name)).find((value) => value !== null && value !== undefined);
  return typeof found === "string" ? found : plain(found);
}

function restOf(item: unknown): Fields {
  const rest = Object.entries(plainFields(item)).filter(
    ([name, value]) => value !== null && !FORMAL.has(name) && !GIVEN.includes(name),
  );
  return Object.fromEntries(rest);
}

function failed(item: unknown): boolean {
  const error = read(item, "error");
  return (error !== null && error !== undefined) || TROUBLE.has(String(read(item, "status")));
}

function resultContent(given: unknown): string | Fields[] {
  if (typeof given === "string") return given;
  const parts = Array.isArray(given) ? given : [given];
  const known = parts.every(
    (part) => typeof part === "string" || /^(text$|input_)/.test(readText(part, "type") ?? ""),
  );
  return known ? contentOf(parts, "\n").text : textOf(given);
}
