// Says something to those who listen instead of look.

/** The element that shell/Shell.tsx keeps for it. */
export const ANNOUNCER_ID = "announcer";

export function announce(text: string): void {
  const place = document.getElementById(ANNOUNCER_ID);
  if (place === null) return;
  // The same words twice in a row are said twice only if something changes.
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}
