// How the console speaks about memories.
import type { BulkVerb, CareVerb, StoredMemory } from "../../api/memories";

/** The lesson in one line: its summary, or where there is none the first line that says something. */
export function oneLine(memory: Pick<StoredMemory, "summary" | "reflection" | "status">): string {
  const text = memory.summary.trim() || memory.reflection.trim();
  if (text === "") return memory.status === "erased" ? "(erased)" : "(no text)";
  return text.split("\n", 1)[0] ?? text;
}

/** What became of the run that a memory was learned from. */
export const resultOf = (success: boolean | null | undefined) =>
  success == null ? null : success ? "pass" : "fail";

export const ORIGIN_WORDS: Readonly<Record<StoredMemory["origin"], string>> = {
  review: "written by a model, reading the reviewed run",
  authored: "sent along with the review",
  offline: "put together without a model",
  manual: "written by hand",
  import: "imported",
};

/** What was done, after it was done. */
export const DONE: Readonly<Record<CareVerb | "delete" | "edit" | "merge" | "erase", string>> = {
  disable: "Disabled. It is served no more.",
  enable: "Enabled.",
  pin: "Pinned. It is served first to every question.",
  unpin: "Pinned no more.",
  quarantine: "In quarantine. It is served no more until somebody releases it.",
  release: "Released.",
  delete: "Deleted.",
  edit: "A new version is kept.",
  merge: "Merged.",
  erase: "Erased for good.",
};

export const BULK_VERBS: Readonly<Record<BulkVerb, { label: string; about: string }>> = {
  disable: { label: "Disable", about: "Served no more; all else is kept." },
  enable: { label: "Enable", about: "Brings back what was disabled or deleted." },
  quarantine: { label: "Quarantine", about: "Served no more until somebody releases it." },
  release: { label: "Release", about: "You vouch for them: they may be served." },
  unpin: { label: "Unpin", about: "Served by rank again, as others are." },
  delete: { label: "Delete", about: "Gone from lists of what is in use; can be undone. The text is kept." },
};

/** Disabling and its opposite, whichever can be done now. */
export function presenceVerb(memory: Pick<StoredMemory, "status">): CareVerb | null {
  if (memory.status === "disabled" || memory.status === "deleted") return "enable";
  return memory.status === "active" || memory.status === "quarantined" ? "disable" : null;
}

export const pinVerb = (memory: Pick<StoredMemory, "pinned" | "status">): CareVerb | null =>
  memory.pinned ? "unpin" : memory.status === "active" || memory.status === "quarantined" ? "pin" : null;

export function quarantineVerb(memory: Pick<StoredMemory, "quarantined" | "status">): CareVerb | null {
  if (memory.quarantined) return "release";
  return memory.status === "erased" || memory.status === "merged" ? null : "quarantine";
}
