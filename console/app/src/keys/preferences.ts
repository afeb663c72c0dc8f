// Key preferences, stored in this browser.
import { useSyncExternalStore } from "react";

export type KeyPreferences = {
  /** Whether single letters and digits are active (WCAG 2.1.4). */
  singleKeys: boolean;
  /** Custom keys by action name. */
  own: Record<string, string[]>;
};

const STORAGE_KEY = "reflect.keys";
const DEFAULTS: KeyPreferences = { singleKeys: true, own: {} };
let current = read();
const listeners = new Set<() => void>();

/** The preferences; the component renders again when they change. */
export function useKeyPreferences(): KeyPreferences {
  return useSyncExternalStore(subscribe, () => current);
}

/** Changes and stores preferences. */
export function setKeyPreferences(change: Partial<KeyPreferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    // Without storage, the preferences last as long as the tab.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): KeyPreferences {
  try {
    return {
      ...DEFAULTS,
      ...(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as Partial<KeyPreferences>),
    };
  } catch {
    return DEFAULTS;
  }
}
