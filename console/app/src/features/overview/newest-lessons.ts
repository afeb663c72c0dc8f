// The newest lessons for the overview.
import type { Overview } from "../../api/types";

type NewMemory = Overview["newest_memories"][number];

/**
 * Each text once, without lessons that only say that a run passed: those of runs that passed without a word, written
 * without a model.
 */
export function newestLessons(memories: readonly NewMemory[]): NewMemory[] {
  const seen = new Set<string>();
  return memories.filter((memory) => {
    const text = memory.summary || memory.task;
    if ((memory.origin === "offline" && memory.success === true) || seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
