// Suggestions for the filter of the review queue.

export const QUEUE_SUGGESTIONS: readonly string[] = [
  "model:",
  "signal:tool_error",
  "signal:exception",
  "signal:repeated_call",
  "signal:empty_answer",
  "judged:true",
  "judged:false",
];
