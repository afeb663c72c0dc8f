// The keys of the overview.
import type { ActionSpec } from "../../keys/KeyProvider";

export const OVERVIEW_KEYS: readonly ActionSpec[] = [
  { action: "next-step", label: "Do the next thing", group: "Overview", keys: ["n"] },
];
