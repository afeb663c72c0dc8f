// What a key does, decided in one place without a browser: when a binding fires, and above all when it does not.

/** One action and the keys that stand for it. A screen has exactly one table of these. */
export type Binding = {
  action: string;
  /** Such as `y`, `Shift+N`, `Mod+k`, `ArrowRight`, or a sequence: `g r`. */
  keys: readonly string[];
  /** Cannot be taken back for free, so it must not happen by accident: verdicts. */
  guarded?: boolean;
  /** Also works while a text is being written; only chords and Escape may. */
  whileTyping?: boolean;
};

/** What the browser tells of a key. */
export type KeyPress = {
  key: string;
  code: string;
  ctrl: boolean;
  alt: boolean;
  meta: boolean;
  shift: boolean;
  repeat: boolean;
  at: number;
};

/** What is going on while the key goes down. */
export type Situation = {
  typing: boolean;
  dialog: boolean;
  /** Single letters and digits can be switched off (WCAG 2.1.4). */
  singleKeys: boolean;
  /** Since when the thing that a verdict would be about has been on screen; null while it is not painted. */
  shownSince: number | null;
};

/** The first key of a sequence that was begun, and when. */
export type KeyState = { begun: string; at: number } | null;

export type Outcome = {
  state: KeyState;
  action: string | null;
  /** Whether the browser must not act on the key as well. */
  swallowed: boolean;
};

/** A verdict counts only on what somebody can have seen. */
export const GUARD_MS = 250;
/** A sequence that is not finished by then was none. */
export const SEQUENCE_MS = 1500;

const NEVER_GUARDED = new Set(["Enter", "Space"]);
const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock"]);

/** Decides what one key does. */
export function press(
  table: readonly Binding[],
  state: KeyState,
  key: KeyPress,
  situation: Situation,
): Outcome {
  if (MODIFIERS.has(key.key)) return { state, action: null, swallowed: false };
  if (key.repeat || situation.dialog) return { state: null, action: null, swallowed: false };

  const name = nameOf(key);
  const running = state !== null && key.at - state.at <= SEQUENCE_MS ? state.begun : null;
  if (running !== null && !situation.typing) {
    // Whatever comes second belongs to the sequence, known or not: `g r` must never also be `r`.
    const found = find(table, `${running} ${name}`);
    return {
      state: null,
      action: found !== undefined && may(found, name, key.at, situation) ? found.action : null,
      swallowed: true,
    };
  }
  if (!situation.typing && situation.singleKeys && beginsSequence(table, name)) {
    return { state: { begun: name, at: key.at }, action: null, swallowed: true };
  }
  const found = find(table, name) ?? find(table, digitOf(key));
  if (found === undefined || !may(found, name, key.at, situation)) {
    return { state: null, action: null, swallowed: false };
  }
  return { state: null, action: found.action, swallowed: true };
}

/** Whether a verdict may count now, whichever way it was given. */
export function seenLongEnough(shownSince: number | null, now: number): boolean {
  return shownSince !== null && now - shownSince >= GUARD_MS;
}

/** A table with somebody's own keys in place of ours. */
export function remapped(
  table: readonly Binding[],
  own: Readonly<Record<string, readonly string[]>>,
): Binding[] {
  return table.map((binding) => ({ ...binding, keys: own[binding.action] ?? binding.keys }));
}

/** What is wrong with a table, in words; nothing when it is sound. */
export function faults(table: readonly Binding[]): string[] {
  const found: string[] = [];
  const owner = new Map<string, string>();
  for (const binding of table) {
    for (const key of binding.keys) {
      const other = owner.get(key);
      if (other !== undefined) found.push(`${key} stands for both ${other} and ${binding.action}`);
      owner.set(key, binding.action);
      if (binding.guarded === true && NEVER_GUARDED.has(key)) found.push(`${key} must not give a verdict`);
      if (binding.whileTyping === true && !isChord(key) && key !== "Escape") {
        found.push(`${key} would fire while somebody writes`);
      }
      const first = key.split(" ")[0] ?? key;
      if (first !== key && table.some((one) => one.keys.includes(first))) {
        found.push(`${first} is a key and also begins ${key}`);
      }
    }
  }
  return found;
}

function may(binding: Binding, name: string, now: number, situation: Situation): boolean {
  if (situation.typing && binding.whileTyping !== true) return false;
  if (!situation.singleKeys && isSingle(name)) return false;
  if (binding.guarded !== true) return true;
  return !NEVER_GUARDED.has(name) && seenLongEnough(situation.shownSince, now);
}

/** The name by which tables know a key: chords need Mod, plain keys must have none of the modifiers. */
export function nameOf(key: KeyPress): string {
  const plain = key.key === " " ? "Space" : key.key;
  const letter = plain.length === 1 ? plain.toLowerCase() : plain;
  if (key.alt) return `Alt+${letter}`;
  // Shift is part of a sign such as `?` already; letters and named keys say it.
  const shifted = key.shift && (plain.length > 1 || plain.toLowerCase() !== plain.toUpperCase());
  const named = shifted ? `Shift+${plain.length === 1 ? plain.toUpperCase() : plain}` : letter;
  return key.ctrl || key.meta ? `Mod+${named}` : named;
}

/** On layouts where digits need Shift, and on those without Latin letters, the digit keys still count. */
function digitOf(key: KeyPress): string {
  const modified = key.ctrl || key.alt || key.meta || key.shift;
  return !modified && key.code.startsWith("Digit") ? key.code.slice("Digit".length) : "";
}

const find = (table: readonly Binding[], name: string) =>
  table.find((binding) => binding.keys.includes(name));

const beginsSequence = (table: readonly Binding[], name: string) =>
  table.some((binding) => binding.keys.some((key) => key.startsWith(`${name} `)));

const isChord = (key: string) => key.startsWith("Mod+") || key.startsWith("Alt+");

const isSingle = (name: string) =>
  name.length === 1 || (name.startsWith("Shift+") && name.length === "Shift+".length + 1);
