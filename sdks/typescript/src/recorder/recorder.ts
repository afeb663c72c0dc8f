/** Records messages from adapters in a run: each message once, although every call repeats the conversation. */

import { currentRun } from "../current.js";
import type { Run } from "../run.js";
import type { Message } from "../types.js";
import { alike, argumentsOf, isInstruction, markOf, overlap, type CallMark, type Mark } from "./identity.js";
import { toolCall } from "./messages.js";

/** The request of a model call: a conversation, or the messages that follow the answer with the id `after`. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly after?: string | undefined;
}

/** The answer of a model call: messages, and the provider's id. `parallel` means alternatives to each other. */
export interface ModelAnswer {
  readonly messages: readonly Message[];
  readonly id?: string | undefined;
  readonly parallel?: boolean | undefined;
}

/** A conversation whose answer is not complete yet. */
export type Conversation = readonly Mark[];

// With more concurrent conversations, some messages would be recorded twice.
const MOST_CONVERSATIONS = 64;
// The number of recent answer ids that are remembered.
const MOST_ANSWERS = 256;

const recorders = new WeakMap<Run, Recorder>();

/** The recorder of a run. All adapters of a run share it. */
export function recorderOf(run: Run): Recorder {
  let found = recorders.get(run);
  if (found === undefined) {
    found = new Recorder(run);
    recorders.set(run, found);
  }
  return found;
}

/** The recorder of the current run; undefined outside a run. */
export function currentRecorder(): Recorder | undefined {
  const run = currentRun();
  return run === undefined ? undefined : recorderOf(run);
}

/** Records what adapters see. Call its methods inside `guarded`: a message of another library may be anything. */
export class Recorder {
  readonly run: Run;
  #instructions = new Set<string>();
  #conversations: Conversation[] = [];
  #byAnswer = new Map<string, { conversation: Conversation; source: string }>();
  // Tool results that were recorded when the tool ended, before a request contained them.
  #early = new Map<string, number>();
  // Tool calls without a result so far.
  #asked: CallMark[] = [];

  constructor(run: Run) {
    this.run = run;
  }

  /** Records the new messages of a request whose answer is streamed. */
  ask(request: ModelRequest): Conversation {
    const { fresh, conversation } = this.#newOf(request);
    this.run.record(fresh);
    this.#remember(conversation);
    return conversation;
  }

  /** Records the complete answer to a request that was recorded with `ask`. */
  answer(conversation: Conversation, answer: ModelAnswer, source: string): void {
    if (this.#recordedByAnother(answer, source)) return;
    this.run.record(answer.messages);
    this.#continue(conversation, answer, source);
  }

  /**
   * Records one model call: the new messages of its request, and its answer. `source` is the adapter: a call that
   * another adapter has already recorded, with the same answer id, is skipped.
   */
  exchange(request: ModelRequest, answer: ModelAnswer, source: string): void {
    if (this.#recordedByAnother(answer, source)) return;
    const { fresh, conversation } = this.#newOf(request);
    this.run.record([...fresh, ...answer.messages]);
    this.#continue(conversation, answer, source);
  }

  /**
   * Records a tool result when the tool ends: `{ role: "tool", name, tool_call_id, content, status? }`. Also records
   * the call if no model requested it. A later request that repeats the result does not record it again.
   */
  toolResult(message: Message, args?: unknown): void {
    let id = message.tool_call_id ?? "";
    const call = this.#openCall(id, message.name ?? "", args);
    if (call === undefined) {
      const calling: Message = {
        role: "assistant",
        content: "",
        tool_calls: [toolCall(id, message.name, args)],
      };
      this.run.record([calling, message]);
    } else {
      this.#asked = this.#asked.filter((asked) => asked !== call);
      id = call.id;
      this.run.record([{ ...message, tool_call_id: id }]);
    }
    if (id) this.#early.set(id, (this.#early.get(id) ?? 0) + 1);
  }

  /** Records a message that belongs to no conversation, such as a failed call or a guardrail. */
  note(message: Message): void {
    this.run.record([message]);
  }

  #newOf({ messages, after }: ModelRequest): { fresh: Message[]; conversation: Mark[] } {
    const head = messages.findIndex((message) => !isInstruction(message));
    const start = head < 0 ? messages.length : head;
    const body = messages.slice(start);
    const marks = body.map(markOf);
    const earlier = after === undefined ? undefined : this.#byAnswer.get(after)?.conversation;
    const known = after === undefined ? this.#known(marks) : 0;
    return {
      fresh: [...this.#newInstructions(messages.slice(0, start)), ...this.#notEarly(body.slice(known))],
      conversation: [...(earlier ?? []), ...marks],
    };
  }

  #continue(conversation: Conversation, answer: ModelAnswer, source: string): void {
    const marks = answer.messages.map(markOf);
    // If there are alternative answers, the conversation continues with one of them.
    for (const way of answer.parallel ? marks.map((mark) => [mark]) : [marks])
      this.#remember([...conversation, ...way]);
    if (answer.id) {
      this.#byAnswer.set(answer.id, { conversation: [...conversation, ...marks], source });
      if (this.#byAnswer.size > MOST_ANSWERS) this.#byAnswer.delete(this.#byAnswer.keys().next().value!);
    }
    this.#asked.push(...marks.flatMap((mark) => mark.calls));
  }

  #recordedByAnother(answer: ModelAnswer, source: string): boolean {
    const found = answer.id ? this.#byAnswer.get(answer.id) : undefined;
    if (found === undefined || found.source === source) return false;
    // Some servers use the same id for different answers.
    const marks = answer.messages.map(markOf);
    return marks.length === 0 || alike(found.conversation.slice(-marks.length), marks) === marks.length;
  }

  /** How many messages of a conversation are already recorded. */
  #known(marks: readonly Mark[]): number {
    let best = 0;
    for (const conversation of this.#conversations) {
      const same = alike(conversation, marks);
      best = Math.max(best, same);
      // The application may have removed older messages.
      if (same < conversation.length) {
        best = Math.max(best, same + overlap(conversation.slice(same), marks.slice(same)));
      }
    }
    return best;
  }

  #newInstructions(messages: readonly Message[]): Message[] {
    return messages.filter((message) => {
      const { key } = markOf(message);
      const isNew = !this.#instructions.has(key);
      this.#instructions.add(key);
      return isNew;
    });
  }

  #notEarly(messages: readonly Message[]): Message[] {
    return messages.filter((message) => {
      const id = message.tool_call_id ?? "";
      const early = this.#early.get(id) ?? 0;
      if (id && early > 0) {
        this.#early.set(id, early - 1);
        return false;
      }
      if (id) this.#asked = this.#asked.filter((call) => call.id !== id);
      return true;
    });
  }

  #remember(conversation: Conversation): void {
    // A longer conversation replaces its shorter version.
    const kept = this.#conversations.filter((known) => alike(known, conversation) < known.length);
    this.#conversations = [...kept.slice(-MOST_CONVERSATIONS + 1), conversation];
  }

  #openCall(id: string, name: string, args: unknown): CallMark | undefined {
    if (id) return this.#asked.find((call) => call.id === id);
    const named = this.#asked.filter((call) => call.name === name);
    const wanted = argumentsOf(args);
    // The framework may change the arguments of a tool; then match by name.
    return named.find((call) => call.args === wanted) ?? named[0];
  }
}
