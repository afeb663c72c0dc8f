// Global actions and their keys.
import type { ActionSpec } from "../keys/KeyProvider";
import { PAGES } from "../pages";
import { type Language, language, LANGUAGES, t } from "../texts";

export function globalKeys(): readonly ActionSpec[] {
  const { actions: texts, pages } = t.shell;
  const group = texts.everywhere;
  return [
    ...PAGES.map((page) => ({
      action: page.action,
      label: texts.go(pages[page.name]),
      group: texts.goTo,
      keys: [page.key],
    })),
    { action: "palette", label: texts.palette, group, keys: ["Mod+k"], whileTyping: true },
    { action: "cheat-sheet", label: texts.cheatSheet, group, keys: ["?"] },
    { action: "theme", label: texts.theme, group, keys: [] },
    ...otherLanguages().map((code) => ({
      action: languageAction(code),
      label: LANGUAGES[code],
      group: texts.language,
      keys: [],
    })),
    { action: "single-keys", label: texts.singleKeys, group, keys: [] },
    { action: "sign-out", label: texts.signOut, group, keys: [] },
  ];
}

/** The languages to choose from. */
export function otherLanguages(): Language[] {
  return (Object.keys(LANGUAGES) as Language[]).filter((code) => code !== language);
}

/** The action that changes the language. */
export const languageAction = (code: Language) => `language-${code}`;

/** Actions of the page come before global actions. */
export function screenFirst(actions: readonly ActionSpec[]): ActionSpec[] {
  const everywhere = new Set(globalKeys().map((spec) => spec.action));
  const global = (spec: ActionSpec) => everywhere.has(spec.action);
  return [...actions.filter((spec) => !global(spec)), ...actions.filter(global)];
}
