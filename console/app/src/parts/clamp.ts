// How much of a long text is shown at first.

const CLAMP_LINES = 40;
const CLAMP_CHARACTERS = 8 * 1024;
/** Longer texts are shown in portions, to keep the tab responsive. */
export const PORTION = 256 * 1024;

export type Clamped = { text: string; cut: boolean };

/** The beginning of a text, in whole lines if possible. */
export function clamp(text: string, lines = CLAMP_LINES, characters = CLAMP_CHARACTERS): Clamped {
  let end = Math.min(text.length, characters);
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at === -1 || at >= end) break;
    if (line === lines - 1) end = at;
  }
  // Do not cut a surrogate pair in half.
  if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
  return { text: text.slice(0, end), cut: end < text.length };
}

const UNITS = ["bytes", "kB", "MB", "GB"] as const;

/** A readable size; 1 kB is 1024 bytes. */
export function sizeLabel(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ""}`;
}
