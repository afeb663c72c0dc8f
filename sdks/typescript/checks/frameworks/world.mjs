/** What the checks of a framework need: a server, a model, and clients on projects that no other check touches. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

import { ReflectClient } from "reflect-memory";

import { messagesOfRequest } from "./protocols.mjs";

const LIVE_SERVER = new URL("../../../../conformance/live_server.py", import.meta.url).pathname;
/** The task of most checks. */
export const TASK = "Where is order 1182?";
/** The lesson that a project can have about it. */
export const GUIDANCE = "Look the order up before you answer.";

/** Starts a server, runs the function with it, and stops it. */
export async function withLiveServer(body) {
  const process = spawn("python3", [LIVE_SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => process.once("exit", resolve));
  try {
    const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    if (done) throw new Error(`${LIVE_SERVER} ended with ${await ended}`);
    return await body(JSON.parse(value));
  } finally {
    process.stdin.end();
    await ended;
  }
}

/** The clients and the stored traces of one check. */
export class World {
  #server;
  #options;
  #clients = [];

  /** The options are those of every client. */
  constructor(server, options = {}) {
    this.#server = server;
    this.#options = options;
  }

  /** A client on a new project. */
  client() {
    return this.#keep({
      baseUrl: this.#server.base_url,
      apiKey: this.#server.api_key,
      projectId: `check-${randomUUID()}`,
    });
  }

  /** The variables of a program on a new project, with this model server. */
  environment(model) {
    return {
      REFLECT_BASE_URL: this.#server.base_url,
      REFLECT_API_KEY: this.#server.api_key,
      REFLECT_PROJECT_ID: `check-${randomUUID()}`,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "none",
    };
  }

  /** A client on a new project with a lesson about `TASK`. */
  async taught() {
    const client = this.client();
    await client.memories.create({ task: TASK, result: "fail", guidance: GUIDANCE });
    return client;
  }

  /** A client whose server is down. Nothing listens on port 9. */
  disconnected() {
    const logger = { warn() {} };
    return this.#keep({
      baseUrl: "http://127.0.0.1:9",
      apiKey: this.#server.api_key,
      projectId: "none",
      logger,
    });
  }

  /** The only stored trace of the client's project. */
  async onlyTrace(client) {
    const traces = await this.traces(client);
    assert.equal(traces.length, 1, `${traces.length} traces are stored`);
    return traces[0];
  }

  async traces(client) {
    await client.flush();
    const found = [];
    for await (const trace of client.traces.list()) found.push(trace);
    return found;
  }

  async close() {
    for (const client of this.#clients) await client.shutdown();
  }

  #keep(options) {
    const client = new ReflectClient({ retrievalTimeout: 5000, ...this.#options, ...options });
    this.#clients.push(client);
    return client;
  }
}

/**
 * Fails unless the trace has what the model server saw: the messages of its last request, then the last answer, and the
 * usage of each answer.
 */
export function assertSameAsModel(trace, model, lastAnswer) {
  const sent = messagesOfRequest(model.requests.at(-1));
  const happened = [...sent, { role: "assistant", content: lastAnswer }].map(essence);
  assert.deepEqual(trace.trajectory.map(essence), happened);
  assertUsage(trace);
}

/** Fails unless each answer of the trace has the usage that the model server reports. */
export function assertUsage(trace) {
  for (const message of trace.trajectory.filter(
    ({ role, error }) => role === "assistant" && error === undefined,
  )) {
    const { input_tokens, output_tokens, total_tokens } = message.usage ?? {};
    assert.deepEqual(
      [input_tokens, output_tokens, total_tokens],
      [11, 7, 18],
      `usage of ${JSON.stringify(message)}`,
    );
  }
}

/** What the message means, whichever form its content has. */
export function essence({ role, content, tool_calls, tool_call_id }) {
  const text = Array.isArray(content) ? content.map((part) => part.text).join("\n") : (content ?? "");
  const calls = (tool_calls ?? []).map((call) => [
    call.id,
    call.function.name,
    JSON.parse(call.function.arguments),
  ]);
  return [role === "developer" ? "system" : role, text, calls, tool_call_id ?? ""];
}

/** Fails unless every request to the model has the lesson exactly once. */
export function assertTaught(model) {
  for (const request of model.requests) {
    const found = JSON.stringify(messagesOfRequest(request));
    assert.equal(found.split(GUIDANCE).length - 1, 1, `not exactly one lesson is in ${found}`);
  }
}
