// Somebody's own choice of keys, kept in this browser.
import { useSyncExternalStore } from "react";

export type KeyPreferences = {
  /** Whether single letters and digits do anything (WCAG 2.1.4). */
  singleKeys: boolean;
  /** Other keys for an action, by its name. */
  own: Record<string, string[]>;
};

const PLACE = "reflect.keys";
const USUAL: KeyPreferences = { singleKeys: true, own: {} };
let current = read();
const listeners = new Set<() => void>();

/** The preferences, and the page follows when they change. */
export function useKeyPreferences(): KeyPreferences {
  return useSyncExternalStore(listen, () => current);
}

/** Keeps a change of them. */
export function setKeyPreferences(change: Partial<KeyPreferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(PLACE, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing forgets it with the tab.
  }
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): KeyPreferences {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(PLACE) ?? "{}") as Partial<KeyPreferences>) };
  } catch {
    return USUAL;
  }
}
