// The only key listener. A page registers the handlers of its actions, and the key machine decides when they
// run.
import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Binding, type KeyState, press, withCustomKeys } from "./machine";
import { useKeyPreferences } from "./preferences";

/** An action as shown in the command palette, in the key list and on buttons. */
export type ActionSpec = Binding & { label: string; group: string };
type Handlers = Readonly<Record<string, (() => void) | undefined>>;
type Screen = {
  specs: readonly ActionSpec[];
  handlers: RefObject<Handlers>;
  shownSince: RefObject<number | null>;
};

type Keys = {
  /** All actions that are available now. */
  actions: ActionSpec[];
  run: (action: string) => void;
  enter: (screen: Screen) => () => void;
};

const Context = createContext<Keys | null>(null);
const NOWHERE: RefObject<number | null> = { current: null };

/** Marks an overlay. While an overlay is open, it receives all keys. */
export const OVERLAY = { "data-overlay": "" };

export function KeyProvider(props: {
  specs: readonly ActionSpec[];
  handlers: Handlers;
  children: ReactNode;
}) {
  const [screen, setScreen] = useState<Screen | null>(null);
  const preferences = useKeyPreferences();
  const specs = useStableSpecs(props.specs);
  const actions = useMemo(
    () => specsWithCustomKeys([...specs, ...(screen?.specs ?? [])], preferences.own),
    [specs, screen, preferences.own],
  );
  const latest = useRef({ actions, screen, handlers: props.handlers, preferences });
  // A layout effect here and below: a key pressed right after the paint must already be handled.
  useLayoutEffect(() => {
    latest.current = { actions, screen, handlers: props.handlers, preferences };
  });

  // The state survives a change of the page: a new page must not end a key sequence.
  const run = useCallback((action: string) => {
    const now = latest.current;
    (now.screen?.handlers.current[action] ?? now.handlers[action])?.();
  }, []);
  const enter = useCallback((entered: Screen) => {
    setScreen(entered);
    return () => setScreen((now) => (now === entered ? null : now));
  }, []);
  useLayoutEffect(() => listen(latest, run), [run]);

  const keys = useMemo<Keys>(() => ({ actions, run, enter }), [actions, run, enter]);
  return <Context value={keys}>{props.children}</Context>;
}

function specsWithCustomKeys(specs: ActionSpec[], own: Record<string, string[]>): ActionSpec[] {
  return withCustomKeys(specs, own) as ActionSpec[];
}

function listen(
  latest: RefObject<{ actions: ActionSpec[]; screen: Screen | null; preferences: { singleKeys: boolean } }>,
  run: (action: string) => void,
): () => void {
  let state: KeyState = null;
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const { actions, screen, preferences } = latest.current;
    const outcome = press(actions, state, pressOf(event), {
      typing: isText(event.target),
      dialog: document.querySelector("[data-overlay]") !== null,
      singleKeys: preferences.singleKeys,
      shownSince: (screen?.shownSince ?? NOWHERE).current,
    });
    state = outcome.state;
    if (outcome.swallowed) {
      event.preventDefault();
      event.stopPropagation();
    }
    if (outcome.action !== null) run(outcome.action);
  };
  // The capture phase: a list with type-ahead search must not consume the key.
  window.addEventListener("keydown", onKey, { capture: true });
  return () => window.removeEventListener("keydown", onKey, { capture: true });
}

/** Converts a keyboard event for the key machine. */
export function pressOf(event: KeyboardEvent) {
  return {
    key: event.key,
    code: event.code,
    ctrl: event.ctrlKey,
    alt: event.altKey,
    meta: event.metaKey,
    shift: event.shiftKey,
    repeat: event.repeat,
    // The time of the key press, not of its delayed handling on a busy page.
    at: event.timeStamp,
  };
}

const NOT_TEXT = new Set(["checkbox", "radio", "button", "submit", "reset", "color", "file"]);

function isText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !NOT_TEXT.has(target.type);
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  );
}

/** All actions, and how to run one. */
export function useKeys(): Keys {
  const keys = useContext(Context);
  if (keys === null) throw new Error("useKeys must be used inside KeyProvider");
  return keys;
}

/** Registers the handlers of this page while it is shown. */
export function useScreenKeys(
  given: readonly ActionSpec[],
  handlers: Handlers,
  shownSince: RefObject<number | null> = NOWHERE,
): void {
  const { enter } = useKeys();
  const specs = useStableSpecs(given);
  const latest = useRef(handlers);
  useLayoutEffect(() => {
    latest.current = handlers;
  });
  useLayoutEffect(() => enter({ specs, handlers: latest, shownSince }), [enter, specs, shownSince]);
}

/** The same array as long as its actions are the same: a table with texts is created in each render. */
function useStableSpecs(given: readonly ActionSpec[]): readonly ActionSpec[] {
  const [kept, setKept] = useState(given);
  if (kept === given || areSame(kept, given)) return kept;
  setKept(given);
  return given;
}

function areSame(some: readonly ActionSpec[], others: readonly ActionSpec[]): boolean {
  const isSame = (one: ActionSpec, other: ActionSpec | undefined) =>
    one.action === other?.action &&
    one.label === other.label &&
    one.group === other.group &&
    one.keys.join() === other.keys.join();
  return some.length === others.length && some.every((spec, at) => isSame(spec, others[at]));
}

/** The first key of an action, with custom keys applied. */
export function useKeyOf(action: string): string | undefined {
  return useKeys().actions.find((spec) => spec.action === action)?.keys[0];
}
