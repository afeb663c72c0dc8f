// The next action of each stage, and the recommended one.
import type { Overview } from "../../api/types";
import { t } from "../../texts";
import type { Stage } from "./stages";

export type NextStep = { label: string; why?: string; path: string; search?: Record<string, string> };

/** The next action of a stage. */
export function stepOf(data: Overview, stage: Stage): NextStep {
  const { steps } = t.overview;
  switch (stage) {
    case "reviews":
      return reviewStep(data);
    case "traces":
      return data.traces.last_7d === 0
        ? { ...steps.checkKeys, path: "/settings/keys" }
        : { ...steps.openTraces, path: "/traces" };
    case "reflections":
      return data.reflections.failed > 0
        ? { ...steps.showFailed, path: "/traces", search: { q: "learning:failed" } }
        : { ...steps.openLessons, path: "/memories" };
    default:
      return { ...steps.tryTask, path: "/retrieve" };
  }
}

/** The stage whose action is recommended: the weakest one, else the review of what is pending. */
export function recommendedStage(data: Overview, worst: Stage | null): Stage | null {
  return worst ?? (data.reviews.pending > 0 ? "reviews" : null);
}

/** The recommended action. */
export function nextStep(data: Overview, worst: Stage | null): NextStep {
  const stage = recommendedStage(data, worst);
  return stage === null ? { ...t.overview.steps.seeLearning, path: "/learning" } : stepOf(data, stage);
}

function reviewStep(data: Overview): NextStep {
  const { pending, pending_more } = data.reviews;
  const { openReview, review } = t.overview.steps;
  if (pending === 0) return { ...openReview, path: "/review" };
  return { label: review.label(pending, pending_more), why: review.why, path: "/review" };
}
