// The keys of the overview.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

/** Not a key of a verdict: the next step is mostly the review page. */
export function overviewKeys(): readonly ActionSpec[] {
  const { keys } = t.overview;
  return [{ action: "next-step", label: keys.nextStep, group: keys.group, keys: ["a"] }];
}

/** The keys while the onboarding checklist is shown. */
export function onboardingKeys(): readonly ActionSpec[] {
  const { keys } = t.overview;
  return [{ action: "dismiss-first", label: keys.dismiss, group: keys.group, keys: [] }];
}
