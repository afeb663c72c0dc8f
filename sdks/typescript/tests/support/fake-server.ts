/** A server that answers as a test says, and remembers what it was asked. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The body as JSON. */
  readonly json: any; // oxlint-disable-line typescript/no-explicit-any
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Text, or a value to send as JSON. */
  readonly body?: unknown;
}

export type Handler = (asked: Asked) => Reply | Promise<Reply>;

/** A server for one test. `await using` stops it. */
export class FakeServer implements AsyncDisposable {
  readonly asked: Asked[] = [];
  handler: Handler;
  readonly #server: Server;
  readonly url: string;

  private constructor(server: Server, handler: Handler) {
    this.#server = server;
    this.handler = handler;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(handler: Handler = () => ({ body: {} })): Promise<FakeServer> {
    const server = createServer((request, response) => void made.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const made: FakeServer = new FakeServer(server, handler);
    return made;
  }

  /** The requests with this in their path. */
  to(part: string): Asked[] {
    return this.asked.filter((each) => each.path.includes(part));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    let json: unknown;
    try {
      json = JSON.parse(body);
    } catch {
      json = undefined;
    }
    const asked = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body,
      json,
    };
    this.asked.push(asked);
    const reply = await this.handler(asked);
    const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {});
    response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
    response.end(text);
  }
}

/** An error response of a Reflect server. */
export function refusal(
  status: number,
  code: string,
  message = "no",
  headers: Record<string, string> = {},
): Reply {
  return { status, headers, body: { error: { code, message } } };
}

/** The answer to `memory/augment` without memories. */
export function augmentedReply(task: string, more: object = {}): Reply {
  const body = {
    task,
    augmented_task: task,
    memory_block: "",
    memories: [],
    retrieval_id: "r-1",
    degraded: false,
    ...more,
  };
  return { body };
}

/** Answers like a server that works: no memories, and every trace is stored. */
export function working(more: Handler = () => ({ body: {} })): Handler {
  return (asked) => {
    if (asked.path.endsWith("/memory/augment")) return augmentedReply(asked.json.task);
    if (asked.path.endsWith("/traces/batch")) return stored(asked);
    return more(asked);
  };
}

/** The answer to a batch that is stored. */
export function stored({ json }: Asked): Reply {
  const results = json.traces.map(({ trace_id }: { trace_id: string }) => ({
    trace_id,
    id: trace_id,
    ingest_status: "completed",
  }));
  return { body: { results } };
}
