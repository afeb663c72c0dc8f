// Global actions and their keys.
import type { ActionSpec } from "../keys/KeyProvider";
import { PAGES } from "../pages";

export const GLOBAL_KEYS: readonly ActionSpec[] = [
  ...PAGES.map((page) => ({
    action: page.action,
    label: `Go to ${page.label}`,
    group: "Go to",
    keys: [page.key],
  })),
  {
    action: "palette",
    label: "Open the command palette",
    group: "Everywhere",
    keys: ["Mod+k"],
    whileTyping: true,
  },
  { action: "cheat-sheet", label: "Show all keys", group: "Everywhere", keys: ["?"] },
  {
    action: "theme",
    label: "Switch between light, dark and system theme",
    group: "Everywhere",
    keys: [],
  },
  { action: "single-keys", label: "Turn single-letter keys on or off", group: "Everywhere", keys: [] },
  { action: "sign-out", label: "Sign out", group: "Everywhere", keys: [] },
];

const EVERYWHERE = new Set(GLOBAL_KEYS.map((spec) => spec.action));

/** Actions of the page come before global actions. */
export function screenFirst(actions: readonly ActionSpec[]): ActionSpec[] {
  const global = (spec: ActionSpec) => EVERYWHERE.has(spec.action);
  return [...actions.filter((spec) => !global(spec)), ...actions.filter(global)];
}
