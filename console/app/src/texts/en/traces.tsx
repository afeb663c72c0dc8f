import type { ReactNode } from "react";
import { atLeast, counted, number } from "../../parts/time";

export const traces = {
  title: "Traces",
  stored: (count: number, more: boolean) => `${atLeast(count, more)} stored`,
  matches: (count: number, more: boolean) => `${counted(count, "match", "matches")}${more ? " so far" : ""}`,
  newRuns: (count: number) => `${number(count)} new`,
  selected: (count: number) => `${number(count)} selected`,
  reviewSelected: "Review them",
  clearSelection: "Clear",

  filter: {
    label: "Filter traces",
    hint: "For example status:pending error:true since:7d refund  (/)",
    invalid: "The filter is not valid",
    noMatch: "No trace matches",
    clear: "Clear the filter",
    searchedBackTo: (time: ReactNode): ReactNode => <>Searched back to {time}.</>,
    searchFurther: "Search further",
    searchFurtherBack: "Search further back",
  },
  quickFilters: {
    label: "Common filters",
    names: {
      notReviewed: "Not reviewed",
      passed: "Passed",
      failed: "Failed",
      withErrors: "With errors",
      learningFailed: "Learning failed",
    },
  },
  loadFailed: "The traces could not be loaded",

  first: {
    title: "No runs are stored yet",
    about: (createKey: ReactNode): ReactNode => (
      <>
        Run this program with a key of the project. The run appears here when it arrives. {createKey}. It also
        shows the next steps.
      </>
    ),
    createKey: "Create a key on the overview page",
  },

  columns: {
    stored: "Stored",
    task: "Task",
    outcome: "Outcome",
    learning: "Learning",
    messages: "Messages",
    errors: "Errors",
    memories: "Memories",
    model: "Model",
    latency: "Latency",
    tokens: "Tokens",
  },
  noTask: "(no task)",
  errors: (count: number) => counted(count, "error", "errors"),
  learning: {
    queued: "queued",
    processing: "processing",
    failed: "failed",
    completed: "done",
    memoryCreated: "memory created",
  },

  preview: {
    label: "Run",
    task: "Task",
    answer: "Final response",
    noAnswer: "The run ended without an answer.",
    memories: (count: number) => `${counted(count, "memory", "memories")} used`,
    feedback: "Feedback",
  },

  keyGroups: { list: "List", bulk: "Bulk actions" },
  keys: {
    next: "Next run",
    previous: "Previous run",
    peek: "Preview the run",
    open: "Open the run",
    cancel: "Close the preview, or leave the filter",
    filter: "Filter",
    refresh: "Show new entries",
    select: "Select the run",
    extendDown: "Extend the selection down",
    extendUp: "Extend the selection up",
    bulk: "One verdict for the selection",
  },
};
