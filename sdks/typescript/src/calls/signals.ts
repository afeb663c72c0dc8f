/**
 * Reports the outcomes of runs: `reflect-memory/signals`. Not part of the client, because most agents do not report them.
 *
 *     const signals = signalsOf(client);
 *     await signals.send({ source: "ci", key: { commit: "4f2a9c1" }, outcome: "fail", comment: "2 tests failed" });
 */

import { checkResult, requireKnownFields, requireText } from "../arguments.js";
import type { ReflectClient } from "../client.js";
import { InvalidArgumentError } from "../errors.js";
import type {
  AcceptedSignal,
  FeedbackToken,
  IssueFeedbackToken,
  SignalItem,
  SignalsAnswer,
  SignalsOfTrace,
  SignalSources,
} from "../generated/bodies.js";
import type { CallOptions, Result } from "../types.js";
import { toJson } from "../wire/encode.js";
import { maskedText } from "../wire/mask.js";
import { toContract } from "../wire/names.js";
import { calls, contexts, send, type CallContext } from "./routes.js";

/** What a signal is about: a run, or the runs that declare a key, such as `{ commit: "4f2a9c1" }`. */
export type SignalSubject =
  | { traceId: string; key?: undefined }
  | { key: Readonly<Record<string, string>>; traceId?: undefined };

/** What a signal reports: a result, or a score from 0 to 1 of which the thresholds of the project make a result. */
export type SignalReport = { outcome: Result; score?: undefined } | { score: number; outcome?: undefined };

/** What else a signal can say. */
export interface SignalDetails {
  /** The system that reports it: `ci`, `tests`, `user`, `ticket`, `merge`, `evaluation`, or another name. */
  source: string;
  /** When it happened. Default: now. */
  occurredAt?: Date | string | undefined;
  /** Two signals of a source with the same key are one. */
  idempotencyKey?: string | undefined;
  /** What was right or wrong. It becomes the feedback of the review. */
  comment?: string | undefined;
  /** Where to read more. */
  url?: string | undefined;
  /** Any JSON object to show with it. */
  metadata?: Record<string, unknown> | undefined;
}

/** The outcome of a run, as another system reports it. */
export type NewSignal = SignalDetails & SignalSubject & SignalReport;

/** The maximum number of signals in one request. */
const SIGNALS_AT_ONCE = 100;
const FIELDS = [
  "source",
  "traceId",
  "key",
  "outcome",
  "score",
  "occurredAt",
  "idempotencyKey",
  "comment",
  "url",
  "metadata",
];

/** Reports the outcomes of runs, and reads what they mean: `signalsOf(client)`. */
export interface SignalCalls {
  /** Reports an outcome. It becomes a review later, if the rules of the project say so. The run may arrive later. */
  send(signal: NewSignal, options?: CallOptions): Promise<AcceptedSignal>;

  /** Reports many outcomes. One result per signal, in their order: with `error`, or with `id`. */
  batch(signals: readonly NewSignal[], options?: CallOptions): Promise<SignalItem[]>;

  /** The signals about a run, and what each means now. Some are withheld until the run is reviewed. */
  list(traceId: string, options?: CallOptions): Promise<SignalsOfTrace>;

  /** The sources of signals: their rules, and how well each agrees with people. */
  sources(options?: CallOptions): Promise<SignalSources>;

  /** Issues a token with which a browser can vote on one run, without a key: `sendFeedback` of `reflect-memory/feedback`. */
  createFeedbackToken(
    traceId: string,
    expiry?: IssueFeedbackToken,
    options?: CallOptions,
  ): Promise<FeedbackToken>;
}

/** The calls about signals, with the project, key and mask of a client. */
export function signalsOf(client: ReflectClient): SignalCalls {
  const context = contexts.get(client);
  if (context) return signalCalls(context);
  throw new InvalidArgumentError(
    "signalsOf: pass a ReflectClient of the same installation of reflect-memory.",
  );
}

function signalCalls(context: CallContext): SignalCalls {
  const { mask } = context.settings;
  const json = (name: string, given: NewSignal) => {
    const { comment, metadata, ...signal } = bodyOf(name, given);
    const words = maskedText(mask, { comment, metadata });
    return toJson(toContract({ ...signal, ...words }));
  };
  return {
    ...calls<SignalCalls>(context, "signals", {
      list: "signals GET traces/:/signals flush=id",
      sources: "sources GET signals/sources",
      createFeedbackToken: "token POST traces/:/feedback-token body",
    }),
    async send(signal, options) {
      const name = "signals.send";
      return send(context, name, "id POST signals json key", json(name, signal), options);
    },
    async batch(signals, options) {
      const name = "signals.batch";
      const sent = signals.map((signal) => json(name, signal));
      const results: SignalItem[] = [];
      for (let start = 0; start < sent.length; start += SIGNALS_AT_ONCE) {
        const part = `{"signals":[${sent.slice(start, start + SIGNALS_AT_ONCE).join()}]}`;
        const route = "results POST signals/batch json key";
        results.push(...(await send<SignalsAnswer>(context, name, route, part, options)).results);
      }
      return results;
    },
  };
}

/** A signal whose fields are checked. */
function bodyOf(name: string, given: NewSignal) {
  requireKnownFields(name, given, FIELDS);
  const { traceId, key, outcome, score, occurredAt, ...more } = given;
  requireText(name, "source", more.source);
  const entries = Object.entries(key ?? {});
  if ((traceId === undefined) === (key === undefined) || (key !== undefined && entries.length !== 1)) {
    throw new InvalidArgumentError(`${name}: pass either traceId, or key with one entry.`, {
      hint: 'Pass for example key: { commit: "4f2a9c1" }.',
    });
  }
  if ((outcome === undefined) === (score === undefined)) {
    throw new InvalidArgumentError(`${name}: pass either outcome or score.`);
  }
  return {
    ...more,
    traceId,
    key: entries.map(([keyName, value]) => ({ name: keyName, value }))[0],
    outcome: outcome && checkResult(outcome),
    score,
    occurredAt: occurredAt instanceof Date ? occurredAt.toISOString() : occurredAt,
  };
}
