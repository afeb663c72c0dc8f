// Sample runs for unit tests; not part of the console.
import type { QueuedTrace } from "../../api/types";

export function queued(id: string, more: Partial<QueuedTrace> = {}): QueuedTrace {
  return {
    trace_id: id,
    leased_until: "2026-11-15T12:02:00Z",
    created_at: "2026-11-15T12:00:00Z",
    model: null,
    link: "none",
    deferred_by: null,
    deferred_note: null,
    score: 0,
    reasons: [],
    digest: {
      task: `task of ${id}`,
      task_is_cut: false,
      answer: "done",
      answer_is_cut: false,
      steps: null,
      signals: [],
      memories: [],
    },
    ...more,
  };
}
