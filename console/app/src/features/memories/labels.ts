// Texts about memories.
import type { BulkAction, MemoryAction, StoredMemory } from "../../api/memories";

/** The lesson in one line: its summary, or else the first non-empty line. */
export function oneLine(memory: Pick<StoredMemory, "summary" | "reflection" | "status">): string {
  const text = memory.summary.trim() || memory.reflection.trim();
  if (text === "") return memory.status === "erased" ? "(erased)" : "(no text)";
  return text.split("\n", 1)[0] ?? text;
}

/** The number of entries of a list. */
export const countLabel = (count: number, more: boolean, filtered: boolean): string =>
  `${count.toLocaleString()}${more ? "+" : ""} ${filtered ? "match" : "stored"}`;

/** The lowest and the highest credit of a lesson's situations. */
export function creditRange(range: readonly number[]): string {
  const [low, high] = [(range[0] ?? 0.5).toFixed(2), (range[1] ?? 0.5).toFixed(2)];
  return low === high ? low : `${low} to ${high}`;
}

/** The result of the run a memory was learned from. */
export const resultOf = (success: boolean | null | undefined) =>
  success == null ? null : success ? "pass" : "fail";

export const ORIGIN_LABELS: Readonly<Record<StoredMemory["origin"], string>> = {
  review: "written by a model from the reviewed run",
  authored: "sent with the review",
  offline: "generated without a model",
  manual: "written by hand",
  import: "imported",
};

/** Messages after an action. */
export const DONE_MESSAGES: Readonly<Record<MemoryAction | "delete" | "edit" | "merge" | "erase", string>> = {
  disable: "Disabled. It is no longer served.",
  enable: "Enabled.",
  pin: "Pinned. It is served first for every query.",
  unpin: "Unpinned.",
  quarantine: "In quarantine. It is not served until someone releases it.",
  release: "Released.",
  delete: "Deleted.",
  edit: "Saved a new version.",
  merge: "Merged.",
  erase: "Erased permanently.",
};

export const BULK_VERBS: Readonly<Record<BulkAction, { label: string; about: string }>> = {
  disable: { label: "Disable", about: "No longer served. Everything else is kept." },
  enable: { label: "Enable", about: "Restores disabled or deleted memories." },
  quarantine: { label: "Quarantine", about: "Not served until someone releases it." },
  release: { label: "Release", about: "You confirm that these memories are safe. They can be served." },
  unpin: { label: "Unpin", about: "Ranked like other memories again." },
  delete: {
    label: "Delete",
    about: "Removed from lists of active memories. The text is kept. Can be undone.",
  },
};

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
