// What a verdict did, in words. A pure function.
import { GRACE_SECONDS } from "../../api/reviews";
import type { Schemas } from "../../api/types";
import { t } from "../../texts";

type Trace = Pick<
  Schemas["Trace"],
  "review" | "ingest_status" | "created_memory_id" | "last_ingest_error" | "linked_memory_ids"
>;

export type VerdictOutcome = {
  /** The effect on the memories that the run used; null if it used none. */
  counted: string | null;
  lesson: string;
  /** The memory that was learned. */
  memory: string | null;
  failed: boolean;
};

/** `trace` is undefined during the grace period, because nothing is learned until it ends. */
export function verdictOutcome(trace: Trace | undefined, summary: string | undefined): VerdictOutcome {
  const texts = t.review.recent;
  if (trace?.review == null) {
    const lesson = trace === undefined ? texts.inSeconds(GRACE_SECONDS) : texts.notStored;
    return { counted: null, lesson, memory: null, failed: false };
  }
  const used = trace.linked_memory_ids.length;
  const outcome = {
    counted: used === 0 ? null : texts.countedFor(used),
    memory: null,
    failed: false,
  };
  if (trace.ingest_status === "failed") {
    return { ...outcome, lesson: texts.failed(trace.last_ingest_error ?? null), failed: true };
  }
  if (trace.ingest_status !== "completed") return { ...outcome, lesson: texts.inProgress };
  if (trace.created_memory_id == null) return { ...outcome, lesson: texts.none };
  return {
    ...outcome,
    lesson: texts.saved(summary ?? null),
    memory: trace.created_memory_id,
  };
}
