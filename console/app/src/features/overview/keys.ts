// The keys of the overview.
import type { ActionSpec } from "../../keys/KeyProvider";

export const OVERVIEW_KEYS: readonly ActionSpec[] = [
  { action: "next-step", label: "Do the next thing", group: "Overview", keys: ["n"] },
];

/** While the first round stands in its place. */
export const FIRST_KEYS: readonly ActionSpec[] = [
  { action: "dismiss-first", label: "Dismiss the list of first steps", group: "Overview", keys: [] },
];
