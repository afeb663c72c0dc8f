// Predefined views of the memory list, and suggestions for its filter.
import type { MemorySort } from "../../api/memories";

type View = { name: string; q: string; sort: MemorySort };

export const VIEWS: readonly View[] = [
  { name: "All", q: "", sort: "newest" },
  { name: "Needs attention", q: "", sort: "attention" },
  // The sort order puts the worst first.
  { name: "Most harmful", q: "status:active credit:<0.5 evidence:1", sort: "harm" },
  { name: "In quarantine", q: "status:quarantined", sort: "newest" },
  { name: "Pinned", q: "pinned:true", sort: "newest" },
  { name: "Superseded", q: "superseded:true", sort: "newest" },
  { name: "Not in use", q: "status:disabled,deleted,merged,retired", sort: "newest" },
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
