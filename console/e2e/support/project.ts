// A project as an API client sees it: over HTTP with a key. Tests compare pages with its responses.
import { expect } from "@playwright/test";

export type Message = { role: string; content?: unknown; [more: string]: unknown };
export type Run = {
  task: string;
  retrieval_id?: string;
  trajectory?: Message[];
  final_response?: string;
  retrieved_memory_ids?: string[];
  model?: string;
  metadata?: Record<string, unknown>;
  keys?: Record<string, string>;
  review?: { result: "pass" | "fail"; feedback_text?: string; reflection?: { summary: string } };
};
export type Signal = {
  trace_id?: string;
  key?: { name: string; value: string };
  outcome?: "pass" | "fail";
  score?: number;
  comment?: string;
  url?: string;
};
export type Trace = {
  id: string;
  task: string;
  ingest_status: string;
  review_status: string;
  created_memory_id: string | null;
  review: { result: string; reviewer: string; feedback_text: string | null } | null;
};
export type Memory = {
  id: string;
  status: string;
  summary: string;
  lesson_id: string;
  q_value: number;
  reviews: number;
  pinned: boolean;
};

export class Project {
  readonly server: string;
  readonly slug: string;
  readonly #key: string;

  constructor(server: string, slug: string, key: string) {
    this.server = server;
    this.slug = slug;
    this.#key = key;
  }

  /** The URL of one of its pages. */
  page(path = ""): string {
    return `${this.server}/p/${this.slug}${path}`;
  }

  async send(run: Run): Promise<string> {
    const trajectory = run.trajectory ?? [
      { role: "user", content: run.task },
      { role: "assistant", content: `Done: ${run.task}` },
    ];
    return (await this.call<{ id: string }>("POST", "/traces", { ...run, trajectory })).id;
  }

  /** Sends several runs with ascending numbers. */
  async sendMany(count: number, of: (n: number) => Run): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 1; n <= count; n += 1) ids.push(await this.send(of(n)));
    return ids;
  }

  /** Creates a memory with a given lesson. This needs no model. */
  async remember(task: string, summary: string): Promise<string> {
    const id = await this.send({
      task,
      trajectory: [],
      review: { result: "pass", reflection: { summary } },
    });
    const made = (await this.trace(id)).created_memory_id;
    if (made === null) throw new Error("a review with a lesson created no memory");
    return made;
  }

  /** Shows the signals of all runs. By default, those of a fifth of the runs are withheld. */
  async showAllSignals(): Promise<void> {
    await this.call("PATCH", "", { signals: { blind_share: 0 } });
  }

  /** Reports an outcome as another system does. */
  async signal(source: string, signal: Signal): Promise<void> {
    await this.call("POST", "/signals", { source, ...signal });
  }

  /** Queries memories for a task and returns them with the receipt. */
  async ask(question: {
    task: string;
    limit?: number;
  }): Promise<{ receipt: string; memories: { id: string; task: string }[] }> {
    const answer = await this.#fetch("POST", "/memory/query", question);
    const memories = (await answer.json()) as { id: string; task: string }[];
    return { receipt: answer.headers.get("x-retrieval-id") ?? "", memories };
  }

  trace = (id: string) => this.call<Trace>("GET", `/traces/${id}`);
  memory = (id: string) => this.call<Memory>("GET", `/memories/${id}`);

  /** The newest reviewed runs, including those whose learning is pending. */
  async reviewed(): Promise<Trace[]> {
    const newest = await this.call<Trace[]>("GET", "/traces?limit=100");
    return newest.filter((trace) => trace.review !== null);
  }

  /** Waits until the utility of a memory has this value. */
  async utilityBecomes(id: string, value: number): Promise<void> {
    await expect.poll(async () => (await this.memory(id)).q_value).toBeCloseTo(value, 4);
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const text = await (await this.#fetch(method, path, body)).text();
    return (text === "" ? null : JSON.parse(text)) as T;
  }

  async #fetch(method: string, path: string, body?: unknown): Promise<Response> {
    const answer = await fetch(`${this.server}/v1/projects/${this.slug}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer;
    const said = (await answer.text()).slice(0, 500);
    throw new Error(`${method} ${path} responded with ${answer.status}: ${said}`);
  }
}
