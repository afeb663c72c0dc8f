/**
 * Interprets the response to a batch.
 *
 * A run counts as accepted only if the server names it in its response, and as rejected only if the response is an
 * error of a Reflect server. After every other response, such as the HTML of a proxy, the run is kept and sent again.
 */

import { bodyKind, isObject, jsonOf, proxyHint, TRUNCATED } from "../wire/body-kind.js";
import type { Answer } from "../wire/http.js";
import { isTemporary } from "../wire/retry.js";
import type { Health } from "./backoff.js";

/** What happened to one run of a batch. */
export interface RunOutcome {
  readonly outcome: "accepted" | "retry" | "rejected";
  readonly error: string;
}

/** The parsed response to a batch. */
export interface BatchOutcome {
  /** One outcome per run, if the server returned results per run. */
  readonly each?: readonly RunOutcome[];
  /** Retry with a smaller batch: one run makes the server reject the batch or fail. */
  readonly split?: boolean;
  readonly health: Health;
  /** The response is not from a Reflect server, so it says nothing about the runs. */
  readonly foreign?: boolean;
  /** The error of the whole batch. */
  readonly message: string;
}

type Fields = Record<string, unknown>;

// Temporary errors: a retry may succeed.
const TEMPORARY = /^(unavailable|overloaded|timeout|internal|provider_unavailable)$/;
// The body is invalid, so at least one of its runs is.
const UNACCEPTABLE = [400, 413, 422];
const MAX_MESSAGE = 500;

/** Interprets the response to a batch of `count` runs. `baseUrl` is for messages. */
export function readBatchAnswer(answer: Answer, count: number, baseUrl: string): BatchOutcome {
  const { status } = answer;
  const json = jsonOf(answer.body);
  const { results, error = {} } = (isObject(json) ? json : {}) as { results?: Fields[]; error?: Fields };
  if (status === 200 && Array.isArray(results) && results.length === count && results.every(namesRun)) {
    return { each: results.map(outcomeOf), health: "good", message: "" };
  }
  const isBusy = isTemporary(status);
  if (status === 200 || (!error["code"] && !isBusy)) {
    const kind = json === undefined ? bodyKind(answer) : "other JSON";
    // A response that broke off, and a limit for the size of requests, are temporary. A sign-in page is not.
    const temporary = status === 413 || (status === 200 && kind === TRUNCATED);
    const message = `${status}, the response is ${kind}. ${proxyHint(answer, baseUrl)}`;
    return { split: status === 413, health: temporary ? "busy" : "refusing", foreign: true, message };
  }
  const message = `${status} ${errorText(error)}`;
  if (UNACCEPTABLE.includes(status)) return { split: true, health: "good", message };
  return { split: status === 500, health: isBusy ? "busy" : "refusing", message };
}

/** Whether it is the result of one run: its id, or an error. */
function namesRun(result: unknown): boolean {
  if (!isObject(result)) return false;
  const { error, trace_id, id } = result;
  return error === undefined ? Boolean(trace_id || id) : isObject(error) && Boolean(error["code"]);
}

function outcomeOf({ error }: Fields): RunOutcome {
  if (!isObject(error)) return { outcome: "accepted", error: "" };
  return { outcome: TEMPORARY.test(String(error["code"])) ? "retry" : "rejected", error: errorText(error) };
}

function errorText({ code = "", message = "" }: Fields): string {
  return `${String(code)}: ${String(message)}`.slice(0, MAX_MESSAGE);
}
