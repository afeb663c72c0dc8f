// The one listener for keys. A screen hands in what its actions do; the machine decides whether they happen.
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
import { type Binding, type KeyState, press, remapped } from "./machine";
import { useKeyPreferences } from "./preferences";

/** An action as people meet it: in the palette, in the cheat sheet, on a button. */
export type ActionSpec = Binding & { label: string; group: string };
type Handlers = Readonly<Record<string, (() => void) | undefined>>;
type Screen = {
  specs: readonly ActionSpec[];
  handlers: RefObject<Handlers>;
  shownSince: RefObject<number | null>;
};

type Keys = {
  /** Every action that can be taken now. */
  actions: ActionSpec[];
  run: (action: string) => void;
  enter: (screen: Screen) => () => void;
};

const Context = createContext<Keys | null>(null);
const NOWHERE: RefObject<number | null> = { current: null };

/** Marks what lies over the page; while there is such a thing, keys belong to it. */
export const OVERLAY = { "data-overlay": "" };

export function KeyProvider(props: {
  specs: readonly ActionSpec[];
  handlers: Handlers;
  children: ReactNode;
}) {
  const [screen, setScreen] = useState<Screen | null>(null);
  const preferences = useKeyPreferences();
  const actions = useMemo(
    () => withOwnKeys([...props.specs, ...(screen?.specs ?? [])], preferences.own),
    [props.specs, screen, preferences.own],
  );
  const latest = useRef({ actions, screen, handlers: props.handlers, preferences });
  // Before anything is painted, here and below: a key that is pressed at what somebody sees must count.
  useLayoutEffect(() => {
    latest.current = { actions, screen, handlers: props.handlers, preferences };
  });

  // The same for as long as the shell stands: a screen that comes in must not end a sequence that was begun.
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

function withOwnKeys(specs: ActionSpec[], own: Record<string, string[]>): ActionSpec[] {
  return remapped(specs, own) as ActionSpec[];
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
  // Before any component sees it: a list that searches by letters must not eat them.
  window.addEventListener("keydown", onKey, { capture: true });
  return () => window.removeEventListener("keydown", onKey, { capture: true });
}

/** What the browser tells of a key, as the machine takes it. */
export function pressOf(event: KeyboardEvent) {
  return {
    key: event.key,
    code: event.code,
    ctrl: event.ctrlKey,
    alt: event.altKey,
    meta: event.metaKey,
    shift: event.shiftKey,
    repeat: event.repeat,
    // When it went down, not when a busy page got round to it.
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

/** All actions, and how to take one. */
export function useKeys(): Keys {
  const keys = useContext(Context);
  if (keys === null) throw new Error("keys are used outside of the shell");
  return keys;
}

/** Says what the actions of this screen do, for as long as it is shown. */
export function useScreenKeys(
  specs: readonly ActionSpec[],
  handlers: Handlers,
  shownSince: RefObject<number | null> = NOWHERE,
): void {
  const { enter } = useKeys();
  const latest = useRef(handlers);
  useLayoutEffect(() => {
    latest.current = handlers;
  });
  useLayoutEffect(() => enter({ specs, handlers: latest, shownSince }), [enter, specs, shownSince]);
}

/** The first key of an action, as it is set now. */
export function useKeyOf(action: string): string | undefined {
  return useKeys().actions.find((spec) => spec.action === action)?.keys[0];
}
