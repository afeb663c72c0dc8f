// What can be done with the situations of a lesson.
import type { MemoryStatus, StoredMemory } from "../../api/memories";
import type { Selection } from "../memories/selection";

type Situation = Pick<StoredMemory, "id" | "status">;

const EDITABLE: ReadonlySet<MemoryStatus> = new Set<MemoryStatus>(["active", "quarantined", "disabled"]);

/**
 * The memory through which the text of a lesson is edited: the one whose text it is, or else the newest. The server
 * accepts every memory that may be edited itself; the speaker may be merged, or too old to be listed.
 */
export function memoryToEdit<M extends Situation>(speaker: string, memories: readonly M[]): M | undefined {
  const editable = memories.filter((memory) => EDITABLE.has(memory.status));
  return editable.find((memory) => memory.id === speaker) ?? editable[0];
}

/** Whether a situation can be split off or moved. A merged one follows the memory that it was merged into. */
export const canLeave = (memory: Pick<Situation, "status">): boolean => memory.status !== "merged";

/** The selected situations that are still in the lesson and can leave it. */
export function leaving(memories: readonly Situation[], selected: Selection): Selection {
  const left = memories.filter((memory) => canLeave(memory) && selected.has(memory.id));
  return new Set(left.map((memory) => memory.id));
}
