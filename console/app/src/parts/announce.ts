// Announces a text to screen readers.

/** The live region rendered by shell/Shell.tsx. */
export const ANNOUNCER_ID = "announcer";

export function announce(text: string): void {
  const place = document.getElementById(ANNOUNCER_ID);
  if (place === null) return;
  // Screen readers announce the same text again only if the content changes.
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}
