// Predefined views of the memory list, and suggestions for its filter.
import type { MemorySort } from "../../api/memories";
import type { Texts } from "../../texts";

/** Its label is `t.memories.views[name]`. */
type View = { name: Exclude<keyof Texts["memories"]["views"], "label">; q: string; sort: MemorySort };

export const VIEWS: readonly View[] = [
  { name: "all", q: "", sort: "newest" },
  { name: "attention", q: "", sort: "attention" },
  // The sort order puts the worst first.
  { name: "harmful", q: "status:active credit:<0.5 evidence:1", sort: "harm" },
];

export const MEMORY_SUGGESTIONS: readonly string[] = [
  "status:active",
  "status:quarantined",
  "status:disabled",
  "status:deleted",
  "status:merged",
  "status:retired",
  "status:erased",
  "origin:review",
  "origin:authored",
  "origin:offline",
  "origin:manual",
  "origin:import",
  "pinned:true",
  "pinned:false",
  "utility:<0.4",
  "utility:>0.6",
  "credit:<0.4",
  "credit:>0.6",
  "evidence:3",
  "lesson:",
  "superseded:true",
  "key:",
  "trace:",
  "same:",
  "since:",
  "until:",
];
