// The one thing to do now, by the stage that holds the loop up.
import type { Overview } from "../../api/types";
import type { Stage } from "./stages";

export type NextStep = { label: string; why: string; path: string; search?: Record<string, string> };

export function nextStep(data: Overview, worst: Stage | null): NextStep {
  const { pending, pending_more } = data.reviews;
  if (worst === "reviews" || (worst === null && pending > 0)) {
    return {
      label: `Review ${pending.toLocaleString("en")}${pending_more ? "+" : ""} waiting ${pending === 1 ? "run" : "runs"}`,
      why: worst === null ? "Each verdict teaches." : "Nothing is learned of runs that nobody reviews.",
      path: "/review",
    };
  }
  if (worst === null) {
    return { label: "See whether it gets better", why: "Nothing waits.", path: "/learning" };
  }
  return STEPS[worst];
}

const STEPS: Record<Exclude<Stage, "reviews">, NextStep> = {
  traces: {
    label: "Look whether the keys are in use",
    why: "No run was stored in the last 7 days.",
    path: "/settings/keys",
  },
  reflections: {
    label: "See what could not be learned",
    why: "Verdicts were given and no lesson came of them.",
    path: "/traces",
    search: { q: "learning:failed" },
  },
  memories: {
    label: "See what a task would get",
    why: "There are memories, and few runs have any.",
    path: "/retrieve",
  },
};
