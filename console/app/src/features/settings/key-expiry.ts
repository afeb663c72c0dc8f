// When keys expire, for the keys page.

const DAY_MS = 86_400_000;
/** The server warns from this many days before the expiry. */
const SOON_DAYS = 14;

/** Whether an active key expires soon. */
export function expiresSoon(expiresAt: string | null | undefined, now = Date.now()): boolean {
  if (expiresAt == null) return false;
  const left = Date.parse(expiresAt) - now;
  return left > 0 && left < SOON_DAYS * DAY_MS;
}

/** The address ranges in a text, separated by spaces, commas or lines. */
export function rangesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((range) => range !== "");
}
