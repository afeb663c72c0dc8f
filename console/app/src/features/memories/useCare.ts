// Changing memories: it is done, shown in the list where it stands, and can be undone.
import { type InfiniteData, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { CallFailed, words } from "../../api/failure";
import {
  careFor,
  type CareVerb,
  deleteMemory,
  memoryQuery,
  type StoredMemory,
  undoAction,
} from "../../api/memories";
import { announce } from "../../shell/announce";
import { weChanged } from "../../shell/live";
import { tell } from "../../shell/toasts";
import { DONE } from "./wording";

type Rows = InfiniteData<{ rows: StoredMemory[]; next: string | undefined }>;
type Done = { action_id?: string | null; memory?: StoredMemory };
type Undoable = {
  project: string;
  action: string;
  /** What was done, in words. */
  text: string;
  /** Which memories it changed; null when they are too many to name. */
  ids: readonly string[] | null;
  close: () => void;
};

/** What `u` takes back, the last one first. It outlives the page on which it was done. */
const undoables: Undoable[] = [];
const MOST_UNDOABLE = 50;
/** What is being done. Undoing waits for it: `u` means what was done last, also when the server has not said so yet. */
let underWay: Promise<unknown> = Promise.resolve();

export type Care = ReturnType<typeof careOf>;

export function useCare(project: string): Care {
  const client = useQueryClient();
  return useMemo(() => careOf(project, client), [project, client]);
}

function careOf(project: string, client: QueryClient) {
  /** Shows that something was done, and offers to take it back. */
  const told = (text: string, done: Done, ids: readonly string[] | null) => {
    weChanged("memories");
    announce(text);
    if (done.memory !== undefined) show(client, project, done.memory);
    void client.invalidateQueries({ queryKey: [project, "memories"] });
    const action = done.action_id;
    if (action == null) {
      tell({ text: "Nothing had to be changed." });
      return;
    }
    // Only the newest message is left standing; those before it are still a key away.
    undoables.at(-1)?.close();
    const mine: Undoable = { project, action, text, ids, close: () => {} };
    mine.close = tell(
      { text, choices: [{ label: "Undo", key: "u", run: () => takeBackOrSay(client, mine) }] },
      { stays: ids?.length !== 1 },
    );
    undoables.push(mine);
    if (undoables.length > MOST_UNDOABLE) undoables.shift();
  };
  /** Calls the server about some memories; whether it did it. */
  const run = (ids: readonly string[], text: string, call: () => Promise<Done>): Promise<boolean> => {
    const done = call().then(
      (answer) => {
        told(text, answer, ids);
        return true;
      },
      (thrown: unknown) => {
        tell({ text: words(thrown), tone: "bad" });
        return false;
      },
    );
    underWay = Promise.all([underWay, done]);
    return done;
  };
  return {
    told,
    verb: (memory: string, verb: CareVerb) =>
      run([memory], DONE[verb], () =>
        careFor(project, memory, verb).catch((thrown: unknown) => {
          throw verb === "pin" ? tooManyPins(thrown) : thrown;
        }),
      ),
    remove: (memory: string) => run([memory], DONE.delete, () => deleteMemory(project, memory)),
    undo: () =>
      void underWay.then(() => {
        const last = undoables.findLast((one) => one.project === project);
        if (last === undefined) tell({ text: "There is nothing to undo." });
        else takeBackOrSay(client, last);
      }),
  };
}

/** The server names the pinned memories by their ids, which help nobody here. */
function tooManyPins(thrown: unknown): unknown {
  if (!(thrown instanceof CallFailed) || thrown.status !== 409) return thrown;
  return new Error(`${thrown.message.split(":", 1)[0]}. Take a pin off first; the view “Pinned” has them`);
}

const takeBackOrSay = (client: QueryClient, undoable: Undoable) =>
  void takeBack(client, undoable).catch((thrown: unknown) => tell({ text: words(thrown), tone: "bad" }));

async function takeBack(client: QueryClient, undoable: Undoable): Promise<void> {
  const { project, action, ids } = undoable;
  const place = undoables.indexOf(undoable);
  // It is being taken back already.
  if (place === -1) return;
  undoables.splice(place, 1);
  undoable.close();
  try {
    await undoAction(project, action);
  } catch (thrown) {
    // It still holds, so it can still be undone.
    undoables.push(undoable);
    tell({ text: words(thrown), tone: "bad" });
    return;
  }
  weChanged("actions");
  // Said when it is shown: the next key is about what stands on the page.
  await client.invalidateQueries({ queryKey: [project, "memories"] });
  tell({ text: `Undone: ${undoable.text}` });
  if (ids === null) await client.invalidateQueries({ queryKey: [project, "memory-rows"] });
  else for (const id of ids) show(client, project, await client.fetchQuery(memoryQuery(project, id)));
}

/** Puts a memory as it is now where it stands, on its page and in lists; nothing moves. */
function show(client: QueryClient, project: string, memory: StoredMemory): void {
  client.setQueryData(memoryQuery(project, memory.id).queryKey, (data) => data && { ...data, ...memory });
  client.setQueriesData<Rows>({ queryKey: [project, "memory-rows"] }, (data) =>
    data === undefined
      ? data
      : {
          ...data,
          pages: data.pages.map((page) => ({
            ...page,
            rows: page.rows.map((row) => (row.id === memory.id ? { ...row, ...memory } : row)),
          })),
        },
  );
}
