/**
 * The interface for adapters: `reflect-memory/recorder`.
 *
 * An adapter
 * 1. gets a run: the current one (`currentRun()`, inside `client.trace` or `run.within`), or its own
 *    (`await client.startTrace(task)`, which retrieves memories and never rejects because of the server),
 * 2. puts `run.augmentedTask` or `run.memoryBlock` into the model's prompt,
 * 3. records model calls and tool results with `recorderOf(run)`, inside `guarded`,
 * 4. ends its own run: `run.setOutput({ ... })` or `run.fail(error)`, then `void run.end()`, which only queues it.
 *
 * Nothing here waits for the network except `startTrace`, which waits at most the client's `retrievalTimeout`.
 */

export { currentRun } from "../current.js";
export { guarded } from "./guard.js";
export type { CallMark, Mark } from "./identity.js";
export { asText, errorMessage, toolCall, toolMessage } from "./messages.js";
export {
  currentRecorder,
  Recorder,
  recorderOf,
  type Conversation,
  type ModelAnswer,
  type ModelRequest,
} from "./recorder.js";
