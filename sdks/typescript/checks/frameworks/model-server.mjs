/**
 * A model server on loopback with OpenAI's protocols. It answers requests in the order of what it was told to say, as a
 * whole or as a stream, and keeps the requests.
 *
 * The scripted provider of this repository has no tool calls and no streams, so agents need this one.
 */

import { createServer } from "node:http";
import { setImmediate } from "node:timers/promises";

import { chat, responses } from "./protocols.mjs";

/** A tool call that the model makes. */
export function call(name, args, id = "call_1") {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

/** An answer that is none: the status of an error. */
export class Trouble {
  constructor(status = 400) {
    this.status = status;
  }
}

/** A text whose pieces are sent one by one, each after a call of `tick`. */
export class Slow {
  #waiting = [];
  #ready = 0;

  constructor(text) {
    this.text = text;
  }

  tick() {
    const next = this.#waiting.shift();
    if (next === undefined) this.#ready += 1;
    else next();
  }

  async ticked() {
    if (this.#ready > 0) this.#ready -= 1;
    else await new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export class ModelServer {
  /** The bodies of the requests, oldest first. */
  requests = [];
  #answers = [];
  #count = 0;
  #http = createServer((request, response) => {
    this.#respond(request, response).catch((error) => response.destroy(error));
  });

  async start() {
    await new Promise((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.#http.address().port}/v1`;
    return this;
  }

  async stop() {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /**
   * What to answer next: texts, messages with `tool_calls`, `Trouble`, `Slow`, or functions of a request that return one
   * of them. Forgets earlier requests.
   */
  says(...answers) {
    this.requests = [];
    this.#answers = answers;
  }

  async #respond(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const asked = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    this.requests.push(asked);
    const next = this.#answers.shift();
    const answer = typeof next === "function" ? next(asked) : next;
    if (answer === undefined) throw new Error("the model server was not told what to answer");
    if (answer instanceof Trouble) {
      sendJson(response, answer.status, {
        error: { message: "out of order", type: "server_error" },
      });
      return;
    }
    this.#count += 1;
    const protocol = request.url.endsWith("/responses") ? responses : chat;
    const text = answer instanceof Slow ? answer.text : answer;
    const message = typeof text === "string" ? { content: text } : text;
    if (!asked.stream) {
      sendJson(response, 200, protocol.whole(this.#count, message, asked));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of protocol.events(this.#count, message, asked)) {
      if (answer instanceof Slow && protocol.isPiece(event)) await answer.ticked();
      const name = event.type === undefined ? "" : `event: ${event.type}\n`;
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
      // Each event leaves by itself, so that a client sees the pieces as they come.
      await setImmediate();
    }
    response.end(protocol === chat ? "data: [DONE]\n\n" : "");
  }
}

function sendJson(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
