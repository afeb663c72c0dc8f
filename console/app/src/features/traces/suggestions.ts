// Suggestions for the trace filter.

export const TRACE_SUGGESTIONS: readonly string[] = [
  "status:pending",
  "status:reviewed",
  "result:pass",
  "result:fail",
  "learning:queued",
  "learning:processing",
  "learning:completed",
  "learning:failed",
  "error:true",
  "error:false",
  "model:",
  "mem:",
  "since:",
  "until:",
];
