import type { ReactNode } from "react";
import { counted, number } from "../../parts/time";

export const trace = {
  title: "Trace",
  allTraces: "All traces",

  replay: {
    title: "Trajectory",
    view: "View",
    views: { conversation: "Conversation", steps: "Steps", raw: "Raw" },
    position: (step: number, total: number, failed: number) =>
      `step ${number(step)} of ${number(total)}, ${number(failed)} failed`,
    play: "Play",
    stop: "Stop",
    noMessages: "This run has no messages.",
  },

  find: {
    label: "Find in the trajectory",
    hint: "Find (/)",
    searching: "searching",
    found: (count: number) => `${number(count)} found`,
  },

  kinds: {
    system: "System",
    user: "User",
    assistant: "Assistant",
    reasoning: "Reasoning",
    tool_call: "Tool call",
    tool_result: "Tool result",
    error: "Error",
    memory: "Memories",
    note: "Note",
  },

  step: {
    label: "Step",
    title: (step: number) => `Step ${number(step)}`,
    titleOfKind: (step: number, kind: string) => `Step ${number(step)}, ${kind}`,
    position: (step: number, total: number, kind: string | null, failed: boolean) =>
      `Step ${number(step)} of ${number(total)}${kind === null ? "" : `, ${kind}`}${failed ? ", failed" : ""}`,
    failed: "failed",
    result: (failed: ReactNode, step: number, time: string | null): ReactNode => (
      <>
        {failed === null ? null : <>{failed} </>}result, step {number(step)}
        {time === null ? "" : `, ${time}`}
      </>
    ),
    tokens: (count: number) => counted(count, "token", "tokens"),
    show: "Show the text",
    collapse: "Collapse",
    /** 0 if the text does not name them. */
    memoriesAdded: (count: number) =>
      count === 0
        ? "Memories were added to the prompt"
        : `${counted(count, "memory was", "memories were")} added to the prompt`,
  },

  part: {
    labels: { arguments: "arguments", other: "other" },
    json: "JSON",
    picture: "Part of the run",
    media: (type: string | null, size: string) => `${type ?? "media"}, ${size}, not shown`,
    hidden: (left: string, size: string) => `${left} of ${size} are hidden here`,
    following: (left: string, size: string) => `${left} of ${size} follow`,
    showNext: (size: string) => `Show the next ${size}`,
    showAll: "Show all of it",
    moreLines: (count: number) => counted(count, "more line", "more lines"),
    table: "Table of a tool result",
    firstRows: (rows: number) => `Only the first ${number(rows)} rows are shown.`,
  },

  raw: {
    label: "Raw trace",
    whole: (size: string) => `${size} of JSON`,
    cut: (size: string) => `More than ${size}: only the beginning is shown`,
    download: "Download",
  },

  sidebar: {
    title: "About this run",
    outcome: "Outcome",
    learningFailed: "Learning failed.",
    signals: "Signals",
    memories: (count: number) => `Memories used (${number(count)})`,
    noMemories: "None recorded.",
    links: {
      receipt: "Linked because the client sent the receipt of its retrieval.",
      ids: "Linked because the client sent their ids.",
      trajectory: "Linked because the messages contain them.",
      inferred: "Inferred from the last retrieval for this task.",
    },
    created: "Created memory",
    run: "Run",
    stored: "Stored",
    model: "Model",
    notRecorded: "not recorded",
    learning: "Learning",
    afterReview: "after the review",
    learningStates: {
      queued: "queued",
      processing: "processing",
      completed: "completed",
      failed: "failed",
    },
    experiment: "Experiment",
    arms: { with: "with memories", without: "without memories" },
    key: (name: string) => `Key ${name}`,
    id: "ID",
    metadata: "Metadata",
    noMetadata: "None.",
  },

  signals: {
    none: "None reported.",
    withheld: (count: number) =>
      `${counted(count, "signal is", "signals are")} withheld until a person has reviewed this run, to measure how often the sources agree with people.`,
    score: (score: string) => `score ${score}`,
    vote: "by feedback token",
    found: (name: string, value: string) => `by ${name} ${value}`,
    more: "More about it",
    meanings: {
      review: "Became the review of this run.",
      next: "Becomes the review of this run.",
      matches: "Agrees with the review of this run.",
      confirmed: "Agrees with the review by a person.",
      overruled: "Overruled by a person.",
      agrees: "Agrees with the signal that decides.",
      superseded: "Replaced by a later signal of this source.",
      outweighed: "Overruled by a signal that is later or has a higher precedence.",
      unclear: "No result: the score is between pass and fail.",
      not_counted: "Not counted in this project.",
      stopped: "Not counted: this source agrees with people too rarely.",
    },
    waits: (time: ReactNode) => <>Counts {time}, unless another signal contradicts it before.</>,
  },

  review: {
    feedback: "Feedback",
    feedbackHint: "What was right or wrong?",
    pass: "Pass",
    fail: "Fail",
    withdraw: "Withdraw this review",
    retry: "Retry learning",
  },

  keyGroups: { steps: "Steps", view: "View" },
  keys: {
    stepBack: "Step back",
    stepOn: "Step forward",
    firstStep: "First step",
    lastStep: "Last step",
    nextError: "Next error",
    play: "Play, one step a second",
    find: "Find in the trajectory",
    conversation: "Show as conversation",
    steps: "Show as steps",
    raw: "Show raw",
    cancel: "Back to the list",
  },
};
