// The key machine: decides without a browser whether a key press runs an action.
import { t } from "../texts";

/** An action and its keys. A page has exactly one table of these. */
export type Binding = {
  action: string;
  /** For example `y`, `Shift+N`, `Mod+k`, `ArrowRight`, or a sequence: `g r`. */
  keys: readonly string[];
  /** A verdict: undo has a cost, so it must not happen by accident. */
  guarded?: boolean;
  /** Also works while the user types in a text field; allowed for key combinations and Escape only. */
  whileTyping?: boolean;
};

/** The relevant data of a keyboard event. */
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

/** The state of the page when the key is pressed. */
export type Situation = {
  typing: boolean;
  dialog: boolean;
  /** Single letters and digits can be turned off (WCAG 2.1.4). */
  singleKeys: boolean;
  /** Since when the item to review is visible; null before it is painted. */
  shownSince: number | null;
};

/** The first key of a started sequence, and its time. */
export type KeyState = { begun: string; at: number } | null;

export type KeyResult = {
  state: KeyState;
  action: string | null;
  /** Whether to prevent the browser's default action. */
  swallowed: boolean;
};

/** A verdict counts only if the reviewer can have seen the item. */
export const GUARD_MS = 250;
/** A sequence that is not completed within this time is discarded. */
export const SEQUENCE_MS = 1500;

const NEVER_GUARDED = new Set(["Enter", "Space"]);
const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock"]);

/** Decides what a key press does. */
export function press(
  table: readonly Binding[],
  state: KeyState,
  key: KeyPress,
  situation: Situation,
): KeyResult {
  if (MODIFIERS.has(key.key)) return { state, action: null, swallowed: false };
  if (key.repeat || situation.dialog) return { state: null, action: null, swallowed: false };

  const name = nameOf(key);
  const running = state !== null && key.at - state.at <= SEQUENCE_MS ? state.begun : null;
  if (running !== null && !situation.typing) {
    // The second key always belongs to the sequence, even if the sequence is unknown: `g r` must never also run
    // `r`.
    const found = find(table, `${running} ${name}`);
    return {
      state: null,
      action: found !== undefined && isAllowed(found, name, key.at, situation) ? found.action : null,
      swallowed: true,
    };
  }
  if (!situation.typing && situation.singleKeys && beginsSequence(table, name)) {
    return { state: { begun: name, at: key.at }, action: null, swallowed: true };
  }
  const found = find(table, name) ?? find(table, digitOf(key));
  if (found === undefined || !isAllowed(found, name, key.at, situation)) {
    return { state: null, action: null, swallowed: false };
  }
  return { state: null, action: found.action, swallowed: true };
}

/** Whether a verdict may count now, by key or by button. */
export function seenLongEnough(shownSince: number | null, now: number): boolean {
  return shownSince !== null && now - shownSince >= GUARD_MS;
}

/** A table with custom keys applied. */
export function withCustomKeys(
  table: readonly Binding[],
  own: Readonly<Record<string, readonly string[]>>,
): Binding[] {
  return table.map((binding) => ({ ...binding, keys: own[binding.action] ?? binding.keys }));
}

/** The errors of a table; empty if it is valid. */
export function conflicts(table: readonly Binding[]): string[] {
  const { conflicts: texts } = t.keys;
  const found: string[] = [];
  const owner = new Map<string, string>();
  for (const binding of table) {
    for (const key of binding.keys) {
      const other = owner.get(key);
      if (other !== undefined) found.push(texts.twice(key, other, binding.action));
      owner.set(key, binding.action);
      if (binding.guarded === true && NEVER_GUARDED.has(key)) found.push(texts.verdict(key));
      if (binding.whileTyping === true && !isChord(key) && key !== "Escape") {
        found.push(texts.typing(key));
      }
      const first = key.split(" ")[0] ?? key;
      if (first !== key && table.some((one) => one.keys.includes(first))) {
        found.push(texts.start(first, key));
      }
    }
  }
  return found;
}

function isAllowed(binding: Binding, name: string, now: number, situation: Situation): boolean {
  if (situation.typing && binding.whileTyping !== true) return false;
  if (!situation.singleKeys && isSingle(name)) return false;
  if (binding.guarded !== true) return true;
  return !NEVER_GUARDED.has(name) && seenLongEnough(situation.shownSince, now);
}

/** The name of a key in tables: a combination starts with Mod, a plain key has no modifier. */
export function nameOf(key: KeyPress): string {
  const plain = key.key === " " ? "Space" : key.key;
  const letter = plain.length === 1 ? plain.toLowerCase() : plain;
  if (key.alt) return `Alt+${letter}`;
  // Shift is already part of a character such as `?`. It is named only for letters and named keys.
  const shifted = key.shift && (plain.length > 1 || plain.toLowerCase() !== plain.toUpperCase());
  const named = shifted ? `Shift+${plain.length === 1 ? plain.toUpperCase() : plain}` : letter;
  return key.ctrl || key.meta ? `Mod+${named}` : named;
}

/** The digit keys also work on layouts where digits need Shift, and on layouts without Latin letters. */
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
