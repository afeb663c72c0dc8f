// The settings sections, in display order.
import type { ActionSpec } from "../../keys/KeyProvider";

export const SECTIONS = [
  { path: "project", label: "Project" },
  { path: "keys", label: "API keys" },
  { path: "members", label: "Members" },
  { path: "lessons", label: "Lessons" },
  { path: "judge", label: "Judge" },
  { path: "embedding", label: "Embedding model" },
  { path: "data", label: "Data and retention" },
  { path: "actions", label: "Actions" },
  { path: "audit", label: "Audit log" },
  { path: "keyboard", label: "Keyboard" },
  { path: "system", label: "System" },
] as const;

export type Section = (typeof SECTIONS)[number]["path"];

const GROUP = "Settings";

export const SETTINGS_KEYS: readonly ActionSpec[] = [
  { action: "next-section", label: "Next section", group: GROUP, keys: ["]", "j"] },
  { action: "previous-section", label: "Previous section", group: GROUP, keys: ["[", "k"] },
  ...SECTIONS.map((section) => ({
    action: `settings-${section.path}`,
    label: `Open ${section.label}`,
    group: GROUP,
    keys: [],
  })),
];

/** The section at this offset, limited to the first and the last. */
export function neighbourOf(here: string | undefined, by: number): Section {
  const at = SECTIONS.findIndex((section) => section.path === here);
  const to = Math.max(0, Math.min(SECTIONS.length - 1, at + by));
  return (SECTIONS[to] ?? SECTIONS[0]).path;
}
