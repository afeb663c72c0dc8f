// The keys of the overview.
import type { ActionSpec } from "../../keys/KeyProvider";

export const OVERVIEW_KEYS: readonly ActionSpec[] = [
  { action: "next-step", label: "Do the recommended action", group: "Overview", keys: ["n"] },
];

/** The keys while the onboarding checklist is shown. */
export const ONBOARDING_KEYS: readonly ActionSpec[] = [
  { action: "dismiss-first", label: "Dismiss the onboarding checklist", group: "Overview", keys: [] },
];
