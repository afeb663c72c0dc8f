/** Requests to one project: paths, time limits, retries, names, and checked responses. */

import { InvalidArgumentError } from "../errors.js";
import { newTraceId } from "../ids.js";
import type { CallOptions } from "../types.js";
import { connectionError, invalidResponse, statusError } from "./api-errors.js";
import { bodyKind, isObject, jsonOf } from "./body-kind.js";
import { toJson } from "./encode.js";
import { send, Unreachable, type Address, type Answer, type HttpRequest } from "./http.js";
import { contractName, toClient, toContract } from "./names.js";
import { Pages } from "./pages.js";
import { mayRetry, waitBefore } from "./retry.js";

/** What a response must be: an array, or an object with this field, in the contract's name. */
export type Shape = "array" | (string & {});

/** A call: the name that the user called it by, which error messages begin with, and its request. */
export interface Call {
  readonly name: string;
  /** Default: GET. */
  readonly method?: string | undefined;
  /** The segments after the project; they are encoded here. */
  readonly path: readonly string[];
  readonly query?: object | undefined;
  /** With the client's names. */
  readonly body?: object | undefined;
  /** JSON that is sent as it is, instead of `body`. */
  readonly json?: string | undefined;
  /** Sends a new idempotency key, or this one; every retry has the same. */
  readonly idempotent?: boolean | string | undefined;
  readonly maxRetries?: number | undefined;
  readonly options?: CallOptions | undefined;
}

/** The settings of requests. */
export interface RequestSettings extends Address {
  readonly projectId: string;
  readonly timeout: number;
  readonly maxRetries: number;
  /** Logs a message; one of the same kind at most once a minute. */
  warn(message: string, kind: string): void;
}

/** The API of one project of one server. */
export class Api {
  declare readonly settings: RequestSettings;

  constructor(settings: RequestSettings) {
    this.settings = settings;
  }

  /** Sends a call and returns the body of its response. */
  async call<T>(shape: Shape, call: Call): Promise<T> {
    return this.read(shape, call, await this.answer(call));
  }

  /** The pages of a list. */
  pages<T>(call: Call, before: () => Promise<void> = async () => {}): Pages<T> {
    return new Pages<T>(async (cursor) => {
      if (cursor === undefined) await before();
      const answer = await this.answer({ ...call, query: { ...call.query, cursor } });
      return {
        entries: this.read("array", call, answer),
        cursor: answer.headers.get("x-next-cursor") ?? undefined,
      };
    });
  }

  /** Sends a call and returns the whole response. The time limit of a call includes its retries. */
  async answer(call: Call): Promise<Answer> {
    const body = call.json ?? (call.body === undefined ? undefined : toJson(toContract(call.body)));
    const key = call.idempotent === true ? newTraceId() : call.idempotent;
    return this.exchange(
      {
        method: call.method ?? "GET",
        path: this.path(call),
        body,
        headers: key ? { "idempotency-key": key } : undefined,
      },
      call,
    );
  }

  /** Sends a request with retries. */
  async exchange(request: HttpRequest, call: Omit<Call, "path">): Promise<Answer> {
    const { settings } = this;
    const { signal, timeout } = call.options ?? {};
    const deadline = Date.now() + (timeout ?? settings.timeout);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send(settings, request, Math.max(1, deadline - Date.now()), signal).catch(
        (error: unknown) => {
          if (error instanceof Unreachable) return error;
          throw error;
        },
      );
      const answer = outcome instanceof Unreachable ? undefined : outcome;
      const warning = answer?.headers.get("reflect-warning");
      if (warning) settings.warn(`Warning of the server: ${warning.slice(0, 500)}`, warning);
      if (answer && answer.status >= 200 && answer.status < 300) return answer;
      const wait = waitBefore(attempt, answer);
      if (
        attempt > (call.maxRetries ?? settings.maxRetries) ||
        !mayRetry(answer) ||
        Date.now() + wait >= deadline
      ) {
        if (outcome instanceof Unreachable) throw connectionError(outcome, call.name, settings.baseUrl);
        throw statusError(outcome, call.name, settings.baseUrl);
      }
      await pause(wait, signal);
    }
  }

  /** The body of a response, with the client's names. Throws `InvalidResponseError` if it has another form. */
  read<T>(shape: Shape, call: Pick<Call, "name">, answer: Answer): T {
    const json = jsonOf(answer.body);
    const isList = shape === "array";
    if (
      isList ? Array.isArray(json) && json.every(isObject) : isObject(json) && (json[shape] ?? null) !== null
    ) {
      return toClient(json) as T;
    }
    const expected = isList ? "it is not an array of objects" : `the field \`${shape}\` is missing`;
    const problem = json === undefined ? `the server returned ${bodyKind(answer)}, not JSON` : expected;
    throw invalidResponse(answer, call.name, this.settings.baseUrl, problem);
  }

  private path({ name, path, query }: Call): string {
    if (path.includes("")) throw new InvalidArgumentError(`${name}: the id is empty.`);
    const segments = ["/v1/projects", ...[this.settings.projectId, ...path].map(encodeURIComponent)].join(
      "/",
    );
    const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
    const text = new URLSearchParams(
      given.map(([field, value]) => [contractName(field), String(value)]),
    ).toString();
    return text === "" ? segments : `${segments}?${text}`;
  }
}

/** Waits, or throws the signal's reason. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
