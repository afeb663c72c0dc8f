// Texts about memories.
import type { BulkAction, MemoryAction, StoredMemory } from "../../api/memories";
import { atLeast } from "../../parts/time";
import { t } from "../../texts";

/** The lesson in one line: its summary, or else the first non-empty line. */
export function oneLine(
  memory: Pick<StoredMemory, "summary" | "reflection"> & Partial<Pick<StoredMemory, "status">>,
): string {
  const text = memory.summary.trim() || memory.reflection.trim();
  if (text === "") return memory.status === "erased" ? t.memories.erased : t.memories.noText;
  return text.split("\n", 1)[0] ?? text;
}

/** The number of entries of a list. */
export function countLabel(count: number, more: boolean, filtered: boolean): string {
  const { matching, stored } = t.memories.list;
  return (filtered ? matching : stored)(atLeast(count, more));
}

/** The task of a lesson, and how many other situations it has. */
export function situationsLine(lesson: { task: string; situations: number }): string {
  const others = lesson.situations - 1;
  const task = lesson.task.trim() === "" ? t.memories.noTask : lesson.task;
  return others < 1 ? task : t.memories.list.otherSituations(task, others);
}

/** In display order. Their labels are `t.memories.bulk.verbs`. */
export const BULK_ACTIONS: readonly BulkAction[] = [
  "disable",
  "enable",
  "quarantine",
  "release",
  "unpin",
  "delete",
];

/** Disable or enable, depending on the status. */
export function presenceVerb(memory: Pick<StoredMemory, "status">): MemoryAction | null {
  if (memory.status === "disabled" || memory.status === "deleted") return "enable";
  return memory.status === "active" || memory.status === "quarantined" ? "disable" : null;
}

export const pinVerb = (memory: Pick<StoredMemory, "pinned" | "status">): MemoryAction | null =>
  memory.pinned ? "unpin" : memory.status === "active" || memory.status === "quarantined" ? "pin" : null;

export function quarantineVerb(memory: Pick<StoredMemory, "quarantined" | "status">): MemoryAction | null {
  if (memory.quarantined) return "release";
  return memory.status === "erased" || memory.status === "merged" ? null : "quarantine";
}
