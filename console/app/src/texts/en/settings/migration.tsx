import type { ReactNode } from "react";
import { number } from "../../../parts/time";

export const migration = {
  states: {
    none: "No change is in progress.",
    filling: "Lessons are being prepared for the new model. Retrieval still uses the old one.",
    ready: "All lessons are ready for both models. Compare, then switch. Retrieval still uses the old one.",
    switched:
      "Retrieval uses the new model. You can go back at any time. The change finishes by itself after seven days.",
    rolled_back: "Retrieval uses the old model again. Both are kept up to date.",
    abandoned: "The last change was cancelled.",
    finished: "The last change is finished.",
  },
  begin: "Start the change",
  compare: "Compare",
  switch: "Switch",
  goBack: "Go back",
  cancel: "Cancel the change",
  finish: "Finish",
  space: (model: string, dimensions: number, embeds: "task" | "reflection") =>
    `${model} (${number(dimensions)} dimensions, text used: ${embeds === "task" ? "task" : "lesson"})`,
  threshold: "Minimum similarity with the new model",
  thresholdHint: "From −1 to 1. Leave it empty to keep the current one. Compare tries it, Switch sets it.",
  thresholdFault: "Enter a number from −1 to 1.",
  comparing: "Comparing both models …",
  beginAbout: (option: ReactNode) => (
    <>First, the operator starts every server with the new model ({option}).</>
  ),
  confirmFinish: "Finish the change?",
  finishAbout:
    "The model in use stays, and the data of the other one is removed. After that you cannot go back.",
};
