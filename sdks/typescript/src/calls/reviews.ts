/** Calls about reviews. */

import { checkResult, requireKnownFields, requireText } from "../arguments.js";
import type {
  AuthoredReflection,
  BulkReviewed,
  ReviewInBulk,
  ReviewItem,
  ReviewsAnswer,
  Trace,
  WithdrawReviewQuery,
} from "../generated/bodies.js";
import type { CallOptions, NewReview, Result } from "../types.js";
import { maskedJson } from "../wire/mask.js";
import { toContract } from "../wire/names.js";
import { calls, send, type CallContext } from "./routes.js";

/** A review of a stored run. */
export interface TraceReview extends NewReview {
  /** The lesson, if you write it yourself. */
  reflection?: AuthoredReflection | undefined;
  /** Seconds before learning starts. The call then returns at once. */
  graceSeconds?: number | undefined;
  /** Who reviews, if not the owner of the key. */
  reviewer?: string | undefined;
}

/** One review of a batch. */
export interface BatchReview extends TraceReview {
  traceId: string;
  /** Replaces an existing review and undoes its effect on utilities. */
  replace?: boolean | undefined;
}

/** The same review for many runs. */
export type BulkReview = Omit<ReviewInBulk, "result"> & { result: Result };

/** The maximum number of reviews in one request. */
const REVIEWS_AT_ONCE = 100;
const FIELDS = ["result", "feedbackText", "alpha", "reflection", "graceSeconds", "reviewer"];
const BATCH_FIELDS = ["traceId", "replace", ...FIELDS];
const BULK_FIELDS = ["traceIds", "filter", "q", "dryRun", ...FIELDS];

/** Creates, replaces and withdraws reviews: `client.reviews`. */
export interface ReviewCalls {
  /**
   * Reviews a stored run and waits until the review has become a memory. A run that this process has not sent yet is
   * sent first.
   */
  create(traceId: string, review: TraceReview, options?: CallOptions): Promise<Trace>;

  /** The same, and replaces an existing review and undoes its effect on utilities. */
  replace(traceId: string, review: TraceReview, options?: CallOptions): Promise<Trace>;

  /** Withdraws a review: utilities are recomputed without it, and the memory it created is retired. */
  withdraw(traceId: string, query?: WithdrawReviewQuery, options?: CallOptions): Promise<Trace>;

  /**
   * Reviews many runs. One outcome per review, in their order: with `error`, or with `traceId`. Does not wait for
   * their memories.
   */
  batch(reviews: readonly BatchReview[], options?: CallOptions): Promise<ReviewItem[]>;

  /** Gives many runs the same review, as one action that can be undone. `dryRun` shows its effect. */
  bulk(review: BulkReview, options?: CallOptions): Promise<BulkReviewed>;
}

export function reviewCalls(context: CallContext): ReviewCalls {
  const { mask } = context.settings;
  const review = async (
    name: string,
    traceId: string,
    given: TraceReview,
    options?: CallOptions,
    more?: object,
  ) => {
    const body = { ...bodyOf(name, given, FIELDS), ...more };
    return send<Trace>(context, name, "id POST traces/:/review masked key flush=id", traceId, body, options);
  };
  return {
    create: (traceId, given, options) => review("reviews.create", traceId, given, options),
    replace: (traceId, given, options) =>
      review("reviews.replace", traceId, given, options, { replace: true }),
    ...calls<Pick<ReviewCalls, "withdraw">>(context, "reviews", {
      withdraw: "id DELETE traces/:/review query key",
    }),
    async batch(reviews, options) {
      const name = "reviews.batch";
      const sent = reviews.map((given) => {
        requireText(name, "traceId", given.traceId);
        return maskedJson(mask, toContract(bodyOf(name, given, BATCH_FIELDS)) as object);
      });
      const outcomes: ReviewItem[] = [];
      for (let start = 0; start < sent.length; start += REVIEWS_AT_ONCE) {
        const json = `{"reviews":[${sent.slice(start, start + REVIEWS_AT_ONCE).join()}]}`;
        const route = "results POST reviews/batch json key flush";
        outcomes.push(...(await send<ReviewsAnswer>(context, name, route, json, options)).results);
      }
      return outcomes;
    },
    async bulk(given, options) {
      const name = "reviews.bulk";
      return send(
        context,
        name,
        "traces POST reviews/bulk masked flush",
        bodyOf(name, given, BULK_FIELDS),
        options,
      );
    },
  };
}

/** A review whose result and names are checked. */
function bodyOf<T extends { result: Result }>(name: string, given: T, known: readonly string[]): T {
  requireKnownFields(name, given, known);
  return { ...given, result: checkResult(given.result) };
}
