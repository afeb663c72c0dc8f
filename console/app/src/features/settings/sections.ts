// The settings sections, in display order.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export const SECTIONS = [
  { path: "project" },
  { path: "keys" },
  { path: "webhooks" },
  { path: "members" },
  { path: "lessons" },
  { path: "judge" },
  { path: "signals" },
  { path: "embedding" },
  { path: "data" },
  { path: "actions" },
  { path: "audit" },
  { path: "keyboard" },
  { path: "system" },
] as const;

export type Section = (typeof SECTIONS)[number]["path"];

/** The texts are read when they are shown, because the table exists before they are loaded. */
function spec(action: string, label: () => string, keys: readonly string[]): ActionSpec {
  return {
    action,
    get label() {
      return label();
    },
    get group() {
      return t.settings.sections.settings;
    },
    keys,
  };
}

export const SETTINGS_KEYS: readonly ActionSpec[] = [
  spec("next-section", () => t.settings.sections.next, ["]", "j"]),
  spec("previous-section", () => t.settings.sections.previous, ["[", "k"]),
  ...SECTIONS.map(({ path }) =>
    spec(`settings-${path}`, () => t.settings.sections.open(t.settings.sections.names[path]), []),
  ),
];

/** The section at this offset, limited to the first and the last. */
export function neighbourOf(here: string | undefined, by: number): Section {
  const at = SECTIONS.findIndex((section) => section.path === here);
  const to = Math.max(0, Math.min(SECTIONS.length - 1, at + by));
  return (SECTIONS[to] ?? SECTIONS[0]).path;
}
