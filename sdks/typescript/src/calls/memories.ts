/** Calls about memories. */

import { checkResult, requireText } from "../arguments.js";
import type {
  AuthoredReflection,
  BulkAnswer,
  BulkCare,
  CareAnswer,
  EditMemory,
  ListMemoriesQuery,
  Memory,
  MemoryDetail,
  MemoryHistory,
  MemoryNeighbour,
  MemoryUse,
  MergeMemories,
  StoredMemory,
  TraceSubmission,
  WriteMemory,
} from "../generated/bodies.js";
import { newTraceId } from "../ids.js";
import { queryOf, type Retriever } from "../retrieval.js";
import type { Augmented, AugmentOptions, CallOptions, QueryOptions, Result } from "../types.js";
import { maskedText } from "../wire/mask.js";
import type { Pages } from "../wire/pages.js";
import { calls, send, type CallContext } from "./routes.js";

/** A lesson that you wrote. */
export interface NewLesson extends AuthoredReflection {
  /** The task it was learned from; retrieval compares new tasks with it. */
  task: string;
  /** The outcome of that run. */
  result: Result;
  /** Memories that were given to the run; the result updates their utilities. */
  retrievedMemoryIds?: readonly string[] | undefined;
  /** The model of the run. */
  model?: string | undefined;
  /** Any JSON object; see `metadataFilter`. */
  metadata?: Record<string, unknown> | undefined;
}

/** Retrieves, creates and edits memories: `client.memories`. */
export interface MemoryCalls {
  /** Retrieves the memories that are relevant to a task, best first. Each has the `retrievalId` of the receipt. */
  query(task: string, query?: QueryOptions, options?: CallOptions): Promise<Memory[]>;

  /**
   * Returns the task together with relevant memories, for use as a prompt.
   *
   * If the server does not answer within the client's `retrievalTimeout`, the result has only the task, and `degraded`
   * has the reason, because a missing memory must not stop an agent. Other errors, such as an invalid key, are thrown.
   */
  augment(task: string, query?: AugmentOptions, options?: CallOptions): Promise<Augmented>;

  /** Stores a lesson that you wrote, without a language model, as the result of a run. */
  create(lesson: NewLesson, options?: CallOptions): Promise<TraceSubmission>;

  /** Writes a memory that belongs to no run. */
  write(memory: WriteMemory, options?: CallOptions): Promise<CareAnswer>;

  /** One memory of any status, with its provenance and all versions of its text. */
  get(memoryId: string, options?: CallOptions): Promise<MemoryDetail>;

  /** All memories, newest first. They have their stored texts, of any status: do not put them into a prompt. */
  list(query?: ListMemoriesQuery, options?: CallOptions): Pages<StoredMemory>;

  /**
   * The memories that contain the given words, of any status, newest first. It compares words, not meanings, and
   * accepts filters such as `status:active` and `credit:<0.5`: use it to find a memory to correct.
   */
  search(words: string, query?: { limit?: number }, options?: CallOptions): Promise<StoredMemory[]>;

  /** Changes the text of a memory. With `version`, only if it has not changed since. */
  edit(memoryId: string, changes: EditMemory, options?: CallOptions): Promise<CareAnswer>;

  /** Deletes a memory. `client.actions.undo` restores it. */
  delete(memoryId: string, options?: CallOptions): Promise<CareAnswer>;

  /** Stops serving a memory. */
  disable(memoryId: string, options?: CallOptions): Promise<CareAnswer>;

  /** Serves a disabled memory again. */
  enable(memoryId: string, options?: CallOptions): Promise<CareAnswer>;

  /** Keeps a memory from being retired or superseded. */
  pin(memoryId: string, options?: CallOptions): Promise<CareAnswer>;

  /** Undoes `pin`. */
  unpin(memoryId: string, options?: CallOptions): Promise<CareAnswer>;

  /** Serves a memory only after a person has released it. */
  quarantine(memoryId: string, options?: CallOptions): Promise<CareAnswer>;

  /** Serves a quarantined memory. */
  release(memoryId: string, options?: CallOptions): Promise<CareAnswer>;

  /** Removes the texts of a memory for good. */
  erase(memoryId: string, options?: CallOptions): Promise<CareAnswer>;

  /** Moves a memory to another lesson. */
  move(memoryId: string, lessonId: string, options?: CallOptions): Promise<CareAnswer>;

  /** Merges memories into one. */
  merge({ text, ...ids }: MergeMemories, options?: CallOptions): Promise<CareAnswer>;

  /** Changes many memories as one action. `dryRun` shows its effect. */
  bulk(change: BulkCare, options?: CallOptions): Promise<BulkAnswer>;

  /** How the utility of a memory changed: the reviews that count for it, and the changes by people. */
  history(memoryId: string, options?: CallOptions): Promise<MemoryHistory>;

  /** The most similar memories. */
  neighbours(memoryId: string, query?: { limit?: number }, options?: CallOptions): Promise<MemoryNeighbour[]>;

  /** The runs that were given a memory, newest first. */
  uses(memoryId: string, query?: { limit?: number }, options?: CallOptions): Pages<MemoryUse>;
}

export function memoryCalls(context: CallContext, retriever: Retriever): MemoryCalls {
  const sent = calls<MemoryCalls>(context, "memories", {
    write: "memory POST memories masked key",
    get: "id GET memories/:",
    list: "pages GET memories query flush",
    edit: "memory PATCH memories/: masked",
    delete: "memory DELETE memories/:",
    disable: "memory POST memories/:/disable empty",
    enable: "memory POST memories/:/enable empty",
    pin: "memory POST memories/:/pin empty",
    unpin: "memory POST memories/:/unpin empty",
    quarantine: "memory POST memories/:/quarantine empty",
    release: "memory POST memories/:/release empty",
    move: "memory POST memories/:/move body=lessonId",
    merge: "memory POST memories/merge masked",
    bulk: "matched POST memories/bulk body",
    history: "memory_id GET memories/:/history",
    neighbours: "array GET memories/:/neighbours query",
    uses: "pages GET memories/:/uses query",
  });
  return {
    ...sent,
    async query(task, query = {}, options) {
      const name = "memories.query";
      const text = maskedText(context.settings.mask, requireText(name, "task", task));
      return send(context, name, "array POST memory/query body", { ...queryOf(query), task: text }, options);
    },
    async augment(task, query = {}, options = {}) {
      const name = "memories.augment";
      return retriever.augment(name, requireText(name, "task", task), query, options, true);
    },
    async create(lesson, options) {
      const name = "memories.create";
      const { task, result, retrievedMemoryIds, model, metadata, ...reflection } = lesson;
      const body = {
        traceId: newTraceId(),
        task: requireText(name, "task", task),
        trajectory: [],
        retrievedMemoryIds,
        model,
        metadata,
        review: { result: checkResult(result), reflection },
      };
      return send(context, name, "ingest_status POST traces masked key=traceId", body, options);
    },
    search(words, { limit = 10 } = {}, options) {
      return sent.list({ q: requireText("memories.search", "words", words), limit }, options).toArray(limit);
    },
    erase: (memoryId, options) =>
      send(
        context,
        "memories.erase",
        "memory POST memories/:/erase body=memoryId",
        memoryId,
        memoryId,
        options,
      ),
  };
}
