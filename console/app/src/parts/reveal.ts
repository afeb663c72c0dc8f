// Text from runs is written by whoever an agent met. What cannot be seen in it is made visible, colours are dropped.
/* oxlint-disable no-control-regex, no-misleading-character-class -- they are what is looked for */

/** Characters that reorder, join or hide text. */
const HIDDEN =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const HIDES = new RegExp(HIDDEN.source, "u");
/** Joiners and variation signs inside emoji are part of how they are written. */
const EMOJI = /\p{Extended_Pictographic}(?:[\ufe0f\u{1f3fb}-\u{1f3ff}]|\u200d\p{Extended_Pictographic})*/gu;
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** The text as it may be shown. */
export function shown(text: string): string {
  const plain = text.replace(ANSI, "").replace(CONTROL, mark);
  return HIDES.test(plain) ? revealed(plain) : plain;
}

function revealed(text: string): string {
  let result = "";
  let end = 0;
  for (const emoji of text.matchAll(EMOJI)) {
    result += text.slice(end, emoji.index).replace(HIDDEN, mark) + emoji[0];
    end = emoji.index + emoji[0].length;
  }
  return result + text.slice(end).replace(HIDDEN, mark);
}

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
