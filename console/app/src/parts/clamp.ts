// How much of a long text is shown at first.
import { t } from "../texts";
import { fixed } from "./time";

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
  return { text: cutAt(text, end), cut: end < text.length };
}

/** The beginning of a text, without half a surrogate pair at its end. */
const cutAt = (text: string, end: number) =>
  text.slice(0, end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end);

/** The beginning of a text in one line, for a message. It is cut between words, unless one word is too long. */
export function excerpt(text: string, characters: number): string {
  const line = text.trim().replace(/\s+/g, " ");
  if (line.length <= characters) return line;
  const space = line.lastIndexOf(" ", characters);
  const end = space > characters / 2 ? space : characters;
  return `${cutAt(line, end).replace(/[\s,;:.–-]+$/, "")}…`;
}

const UNITS = ["kB", "MB", "GB"] as const;

/** A readable size; 1 kB is 1024 bytes. */
export function sizeLabel(bytes: number): string {
  const { size: texts } = t.parts;
  if (bytes < 1024) return texts.bytes(bytes);
  const power = Math.min(UNITS.length, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  return texts[UNITS[power - 1] ?? "kB"](fixed(value, value >= 10 ? 0 : 1));
}
