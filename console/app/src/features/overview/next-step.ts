// The recommended action for the weakest stage.
import type { Overview } from "../../api/types";
import type { Stage } from "./stages";

export type NextStep = { label: string; why: string; path: string; search?: Record<string, string> };

export function nextStep(data: Overview, worst: Stage | null): NextStep {
  const { pending, pending_more } = data.reviews;
  if (worst === "reviews" || (worst === null && pending > 0)) {
    return {
      label: `Review ${pending.toLocaleString("en")}${pending_more ? "+" : ""} pending ${pending === 1 ? "run" : "runs"}`,
      why: worst === null ? "Each review improves retrieval." : "Reflect learns only from reviewed runs.",
      path: "/review",
    };
  }
  if (worst === null) {
    return {
      label: "See whether the agent improves",
      why: "No run is waiting for review.",
      path: "/learning",
    };
  }
  return STEPS[worst];
}

const STEPS: Record<Exclude<Stage, "reviews">, NextStep> = {
  traces: {
    label: "Check whether the keys are in use",
    why: "No run was stored in the last 7 days.",
    path: "/settings/keys",
  },
  reflections: {
    label: "Show failed lessons",
    why: "Runs were reviewed, but their lessons failed.",
    path: "/traces",
    search: { q: "learning:failed" },
  },
  memories: {
    label: "Test retrieval for a task",
    why: "There are memories, but few runs use them.",
    path: "/retrieve",
  },
};
