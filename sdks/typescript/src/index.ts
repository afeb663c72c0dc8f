/** The TypeScript client of Reflect, a memory for AI agents that learns from outcomes. */

export type { ActionCalls, LessonCalls } from "./calls/lessons.js";
export type { MemoryCalls, NewLesson } from "./calls/memories.js";
export type { KeyCalls, ProjectCalls, RetrievalCalls, SkillCalls } from "./calls/projects.js";
export type { JudgeCalls, QueueCalls } from "./calls/queue.js";
export type { BatchReview, BulkReview, ReviewCalls, TraceReview } from "./calls/reviews.js";
export type { TraceCalls } from "./calls/traces.js";
export { ReflectClient } from "./client.js";
export { currentRun } from "./current.js";
export * from "./errors.js";
export type * from "./generated/bodies.js";
export { Run } from "./run.js";
export type * from "./types.js";
export type { WaitOptions } from "./waiting.js";
export type { Pages } from "./wire/pages.js";
