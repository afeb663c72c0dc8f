// Changes memories, updates the cached lists in place, and offers undo.
import { type InfiniteData, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError, errorMessage } from "../../api/errors";
import {
  applyMemoryAction,
  type MemoryAction,
  deleteMemory,
  memoryQuery,
  type StoredMemory,
  undoAction,
} from "../../api/memories";
import { announce } from "../../parts/announce";
import { recordOwnChange } from "../../shell/live-updates";
import { notify } from "../../parts/notifications";
import { t } from "../../texts";

type Rows = InfiniteData<{ rows: StoredMemory[]; next: string | undefined }>;
type Done = { action_id?: string | null; memory?: StoredMemory };
type Undoable = {
  project: string;
  action: string;
  /** What was done. */
  text: string;
  /** The changed memories; null if there are too many to list. */
  ids: readonly string[] | null;
  close: () => void;
};

/** The stack of changes that `u` can undo. It is kept when the user leaves the page. */
const undoStack: Undoable[] = [];
const MAX_UNDO = 50;
/**
 * Pending changes. Undo waits for them: `u` undoes the newest change even if the server has not responded yet.
 */
let pendingChanges: Promise<unknown> = Promise.resolve();

export type MemoryActions = ReturnType<typeof createMemoryActions>;

export function useMemoryActions(project: string): MemoryActions {
  const client = useQueryClient();
  return useMemo(() => createMemoryActions(project, client), [project, client]);
}

function createMemoryActions(project: string, client: QueryClient) {
  /** Reports a completed change and offers undo. */
  const reportDone = (text: string, done: Done, ids: readonly string[] | null, topic = "memories") => {
    recordOwnChange(topic);
    announce(text);
    if (done.memory !== undefined) updateCaches(client, project, done.memory);
    if (ids === null) void invalidateRows(client, project);
    void invalidateTexts(client, project);
    const action = done.action_id;
    if (action == null) {
      notify({ text: t.memories.nothingChanged });
      return;
    }
    // Shows only the newest message. Earlier changes can still be undone with the key.
    undoStack.at(-1)?.close();
    const mine: Undoable = { project, action, text, ids, close: () => {} };
    mine.close = notify(
      { text, choices: [{ label: t.memories.undo, key: "u", run: () => undoAndReport(client, mine) }] },
      { stays: ids?.length !== 1 },
    );
    undoStack.push(mine);
    if (undoStack.length > MAX_UNDO) undoStack.shift();
  };
  /** Calls the server for some memories. Resolves to true on success. */
  const run = (ids: readonly string[], text: string, call: () => Promise<Done>): Promise<boolean> => {
    const done = call().then(
      (answer) => {
        reportDone(text, answer, ids);
        return true;
      },
      (thrown: unknown) => {
        notify({ text: errorMessage(thrown), tone: "bad" });
        return false;
      },
    );
    pendingChanges = Promise.all([pendingChanges, done]);
    return done;
  };
  return {
    reportDone,
    verb: (memory: string, verb: MemoryAction) =>
      run([memory], t.memories.done[verb], () =>
        applyMemoryAction(project, memory, verb).catch((thrown: unknown) => {
          throw verb === "pin" ? explainPinLimit(thrown) : thrown;
        }),
      ),
    remove: (memory: string) => run([memory], t.memories.done.delete, () => deleteMemory(project, memory)),
    undo: () =>
      void pendingChanges.then(() => {
        const last = undoStack.findLast((one) => one.project === project);
        if (last === undefined) notify({ text: t.memories.nothingToUndo });
        else undoAndReport(client, last);
      }),
  };
}

/** The server lists the pinned memories by id, which does not help the user. */
function explainPinLimit(thrown: unknown): unknown {
  if (!(thrown instanceof ApiError) || thrown.status !== 409) return thrown;
  return new Error(t.memories.pinLimit(thrown.message.split(":", 1)[0] ?? thrown.message));
}

const undoAndReport = (client: QueryClient, undoable: Undoable) =>
  void undoChange(client, undoable).catch((thrown: unknown) =>
    notify({ text: errorMessage(thrown), tone: "bad" }),
  );

async function undoChange(client: QueryClient, undoable: Undoable): Promise<void> {
  const { project, action, ids } = undoable;
  const place = undoStack.indexOf(undoable);
  // This change is already being undone.
  if (place === -1) return;
  undoStack.splice(place, 1);
  undoable.close();
  try {
    await undoAction(project, action);
  } catch (thrown) {
    // The undo failed, so the change can still be undone.
    undoStack.push(undoable);
    notify({ text: errorMessage(thrown), tone: "bad" });
    return;
  }
  recordOwnChange("actions");
  // Report after the page is updated: the next key press refers to what is visible.
  await invalidateTexts(client, project);
  notify({ text: t.memories.undone(undoable.text) });
  if (ids === null) await invalidateRows(client, project);
  else for (const id of ids) updateCaches(client, project, await client.fetchQuery(memoryQuery(project, id)));
}

/** A change of a memory can change its lesson, and with it other memories. */
const invalidateTexts = (client: QueryClient, project: string) =>
  Promise.all(
    ["memories", "lessons", "lesson-rows", "lesson-questions", "actions"].map((noun) =>
      client.invalidateQueries({ queryKey: [project, noun] }),
    ),
  );

const invalidateRows = (client: QueryClient, project: string) =>
  client.invalidateQueries({ queryKey: [project, "memory-rows"] });

/** Updates a memory in the caches of its page and of lists. Rows keep their position. */
function updateCaches(client: QueryClient, project: string, memory: StoredMemory): void {
  client.setQueryData(memoryQuery(project, memory.id).queryKey, (data) => data && { ...data, ...memory });
  client.setQueriesData<Rows>({ queryKey: [project, "memory-rows"] }, (data) =>
    data === undefined
      ? data
      : {
          ...data,
          pages: data.pages.map((page) => ({
            ...page,
            rows: page.rows.map((row) => updatedRow(row, memory)),
          })),
        },
  );
}

/** All situations of a lesson have its text and its version. Numbers are those of each situation. */
function updatedRow(row: StoredMemory, memory: StoredMemory): StoredMemory {
  if (row.id === memory.id) return { ...row, ...memory };
  if (row.lesson_id !== memory.lesson_id) return row;
  const { reflection, summary, guidance, key_mistake, correct_action, applicable_tools, version } = memory;
  return { ...row, reflection, summary, guidance, key_mistake, correct_action, applicable_tools, version };
}
