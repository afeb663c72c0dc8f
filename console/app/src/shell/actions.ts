// What can be done from everywhere, and with which keys.
import type { ActionSpec } from "../keys/KeyProvider";

export const PAGES = [
  { action: "go-overview", label: "Overview", key: "g o", path: "" },
  { action: "go-review", label: "Review", key: "g r", path: "/review" },
  { action: "go-traces", label: "Traces", key: "g t", path: "/traces" },
  { action: "go-memories", label: "Memories", key: "g m", path: "/memories" },
  { action: "go-retrieve", label: "Retrieve", key: "g e", path: "/retrieve" },
  { action: "go-learning", label: "Learning", key: "g l", path: "/learning" },
  { action: "go-settings", label: "Settings", key: "g s", path: "/settings" },
] as const;

export const GLOBAL_KEYS: readonly ActionSpec[] = [
  ...PAGES.map((page) => ({
    action: page.action,
    label: `Go to ${page.label}`,
    group: "Go to",
    keys: [page.key],
  })),
  {
    action: "palette",
    label: "Open the list of actions",
    group: "Everywhere",
    keys: ["Mod+k"],
    whileTyping: true,
  },
  { action: "cheat-sheet", label: "Show all keys", group: "Everywhere", keys: ["?"] },
  {
    action: "theme",
    label: "Change between light, dark and the system's theme",
    group: "Everywhere",
    keys: [],
  },
  { action: "single-keys", label: "Switch single-letter keys on or off", group: "Everywhere", keys: [] },
  { action: "sign-out", label: "Sign out", group: "Everywhere", keys: [] },
];

const EVERYWHERE = new Set(GLOBAL_KEYS.map((spec) => spec.action));

/** What belongs to the page before what works everywhere. */
export function screenFirst(actions: readonly ActionSpec[]): ActionSpec[] {
  const global = (spec: ActionSpec) => EVERYWHERE.has(spec.action);
  return [...actions.filter((spec) => !global(spec)), ...actions.filter(global)];
}
