// Text from runs is untrusted. Invisible characters in it are made visible, and terminal colours are dropped.
/* oxlint-disable no-control-regex -- they are what is looked for */
import { INVISIBLE, SEQUENCES } from "./invisible.generated";

const HAS_INVISIBLE = new RegExp(INVISIBLE.source, "u");
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** The text as it may be shown. */
export function shown(text: string): string {
  const plain = text.replace(ANSI, "");
  return HAS_INVISIBLE.test(plain) ? revealed(plain) : plain;
}

function revealed(text: string): string {
  let result = "";
  let end = 0;
  for (const kept of text.matchAll(SEQUENCES)) {
    result += text.slice(end, kept.index).replace(INVISIBLE, mark) + kept[0];
    end = kept.index + kept[0].length;
  }
  return result + text.slice(end).replace(INVISIBLE, mark);
}

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
