import type { ReactNode } from "react";
import { counted, number } from "../../parts/time";

export const retrieve = {
  task: "Task",
  taskPlaceholder: "The task of the agent  (/)",
  send: "Query",
  keys: {
    query: "Query",
    result: "Result",
    editTask: "Edit the task",
    send: "Send the query",
    leaveTask: "Leave the task field",
    copyText: "Copy the prompt text",
    copyCode: "Copy the query as Python",
  },
  examples: {
    title: "What would an agent receive?",
    about:
      "Enter a task to see which memories are served, which are excluded and why, and the text for the prompt.",
    none: "No run is stored yet, so there are no example tasks.",
    newest: "Tasks of the newest runs",
  },
  ranking: {
    title: "Ranking",
    weight: { label: "Utility weight", about: "0: similarity only, 1: utility only" },
    limit: { label: "Limit", about: "the maximum number of memories" },
    least: { label: "Threshold", about: "the minimum similarity" },
    variety: { label: "Diversity", about: "1: score only; lower: more diverse memories" },
    room: { label: "Tokens", about: "the maximum size of all memories" },
  },
  receipt: {
    summary: (of: {
      considered: number;
      embedMs: number;
      searchMs: number;
      ranking: string | null;
      weight: string | null;
    }) =>
      [
        `${number(of.considered)} considered`,
        `embedding ${number(of.embedMs)} ms, search ${number(of.searchMs)} ms`,
        `ranking ${of.ranking ?? "not recorded"}`,
        ...(of.weight === null ? [] : [of.weight]),
      ].join("; "),
    weight: {
      request: (weight: string) => `utility weight ${weight}, set here`,
      replay: (weight: string) => `utility weight ${weight}, chosen from the results of earlier reviews`,
      default: (weight: string) => `utility weight ${weight}, the default`,
    },
  },
  notices: {
    degraded:
      "Found by keyword search, because no vector was available. Similarity is then the keyword match, and no threshold applies.",
    nothingStored: "There are no memories to search.",
    onlyPinned: "Only pinned memories were served.",
    belowThreshold: (of: { threshold: string | null; closest: string; action: ReactNode }) => (
      <>
        Nothing above the threshold{of.threshold === null ? "" : ` of ${of.threshold}`}. Closest was{" "}
        {of.closest}. {of.action}
      </>
    ),
    lowerThreshold: (threshold: string) => `Lower the threshold to ${threshold}`,
  },
  candidates: {
    servedHeading: (count: number) => `Served (${number(count)})`,
    served: "Served",
    excludedHeading: (count: number) => `Considered and excluded (${number(count)})`,
    excluded: "Excluded",
    showFirst: (count: number) => `Show the first ${number(count)}`,
    showAll: (count: number) => `Show all ${number(count)}`,
    rank: "Rank",
    loading: "Loading…",
    pinned: "pinned",
    numbers: (of: { similarity: string; score: string | null; note: string }) =>
      [
        `similarity ${of.similarity}, ${of.score === null ? "not ranked" : `score ${of.score}`}`,
        ...(of.note === "" ? [] : [of.note]),
      ].join("; "),
    support: (situations: number, of: number) =>
      `stands for ${number(situations)} of the ${number(of)} closest situations`,
  },
  /** Why a candidate was excluded. */
  reasons: {
    dissimilar: (threshold: string | null) =>
      threshold === null ? "below the threshold" : `similarity is below ${threshold}`,
    outranked: (limit: number | null) =>
      limit === null ? "ranked lower; the limit is reached" : `ranked lower; the limit is ${number(limit)}`,
    alike: "too similar to a served memory",
    heldout: "held out at random",
    noroom: (tokens: number) => `does not fit: at most 5 situations, ${counted(tokens, "token", "tokens")}`,
    samelesson: "its lesson was served, for this situation too",
    repeated: "ranked lower, and its lesson was served",
    bounded: "the share for untrusted sources is used up",
    served: "served",
    notRecorded: "not recorded",
  },
  prompt: {
    label: "Prompt text",
    title: "Text for the prompt",
    tokens: (tokens: number) => `about ${counted(tokens, "token", "tokens")}, at four characters per token`,
    python: "The same query in Python",
    copiedText: "Copied the prompt text.",
    copiedCode: "Copied the Python code.",
  },
};
