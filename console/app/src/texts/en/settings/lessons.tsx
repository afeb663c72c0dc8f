import type { ReactNode } from "react";
import { counted } from "../../../parts/time";

export const lessons = {
  title: "Lessons",
  about: "How runs become lessons",
  changeSettings: "change these settings",
  newRuns: {
    title: "New runs",
    about: (actions: ReactNode) => (
      <>
        What a newly reviewed run changes. You can undo every automatic change, on the page of the lesson or
        in {actions}.
      </>
    ),
    actions: "the list of actions",
    grouping: "Combine runs with the same advice into one lesson",
    groupings: {
      automatic: {
        label: "Automatic",
        hint: "compares the advice, the tools and the text, and asks a language model if unclear",
      },
      structure: {
        label: "Without a model",
        hint: "compares the advice, the tools and the text only",
      },
      off: { label: "Off", hint: "only lessons with the same text become one" },
    },
    absorb: "Count repeated runs together",
    absorbHint:
      "A run with the same advice for nearly the same task adds to the count, but creates no new situation.",
    supersede: "Retire advice that a newer run contradicts",
    supersedeHint:
      "Only if its results are worse than expected. If the results do not show it, you are asked a question.",
    inferUse: "Infer which lessons a run used",
    inferUseHint: "Applies if the agent does not report it.",
    weight: "Balance of similarity and utility in retrieval",
    weights: {
      default: { label: "Fixed", hint: "half similarity, half utility" },
      replay: {
        label: "Learned",
        hint: "the balance that would have worked best for earlier runs; needs 200 reviews",
      },
    },
  },
  older: {
    title: "Older memories",
    about:
      "Memories from earlier versions are grouped in the background. Each keeps its own text and results.",
    states: {
      waiting: "Starts within an hour, unless grouping is off.",
      running: "Running.",
      done: "Done.",
      reverted: "Reverted. Groups made by people stay. If the revert was interrupted, repeat it.",
    },
    counts: (groups: number, situations: number) =>
      `${counted(groups, "lesson", "lessons")} for ${counted(situations, "situation", "situations")}.`,
    progress: "Memories grouped",
    groupAgain: "Group again",
    starts: "The grouping starts soon.",
    revert: "Revert the grouping",
    reverted: "Reverted. Grouping is off now.",
    confirm: "Revert the grouping?",
    confirmAbout:
      "All automatic grouping is reverted, and grouping is turned off. Changes by people stay. You can group again later.",
    confirmSubmit: "Revert",
  },
};
