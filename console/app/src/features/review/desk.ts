// The desk of a reviewer as a pure state: what lies on it, what was decided, what can be undone.
import type { QueuedTrace } from "../../api/types";

export type Decision = "pass" | "fail" | "deferred" | "skipped";
export type Item = { trace: QueuedTrace; decision: Decision | null };

/** What the reviewer is in the middle of. It always shows on the screen. */
export type Mode =
  | "reading"
  /** A fail waits for its feedback. */
  | "failing"
  /** Feedback is written, the verdict comes later. */
  | "writing"
  /** Feedback is written, now the verdict. */
  | "asking"
  /** For how long? */
  | "deferring";

export type Desk = {
  items: Item[];
  /** The trace that is looked at. */
  at: string | null;
  mode: Mode;
  /** What was written about traces that have no verdict yet. */
  drafts: Record<string, string>;
  /** Verdicts that can be undone, the newest first. */
  undoable: { trace: string; decision: "pass" | "fail" }[];
  /** How many more could be had, as the server said last. */
  remaining: number;
  /** Nothing more was to be had when it was last asked. */
  dry: boolean;
  decided: number;
};

export const EMPTY_DESK: Desk = {
  items: [],
  at: null,
  mode: "reading",
  drafts: {},
  undoable: [],
  remaining: 0,
  dry: false,
  decided: 0,
};

/** How many are ready behind the one that is looked at. */
export const AHEAD = 3;
const UNDO_DEPTH = 20;
/** Decided ones stay for looking back, so many of them. */
const KEEP = 40;

export type Change =
  | { kind: "arrived"; traces: QueuedTrace[]; remaining: number }
  | { kind: "decided"; trace: string; decision: Decision }
  | { kind: "undone"; trace: string }
  /** The server did not take the verdict: somebody else was faster. */
  | { kind: "not-taken"; trace: string }
  | { kind: "moved"; by: 1 | -1 }
  | { kind: "went"; trace: string }
  | { kind: "lost"; traces: string[] }
  | { kind: "mode"; mode: Mode }
  | { kind: "wrote"; text: string }
  | { kind: "refilled" }
  | { kind: "emptied" };

export function changed(desk: Desk, change: Change): Desk {
  switch (change.kind) {
    case "arrived": {
      const known = new Set(desk.items.map((item) => item.trace.trace_id));
      const fresh = change.traces.filter((trace) => !known.has(trace.trace_id));
      const items = [...desk.items, ...fresh.map((trace) => ({ trace, decision: null }))];
      // A desk that was cleared shows what comes; otherwise nobody is torn away from what they look at.
      const at = openAt(desk) === null ? (nextOpen(items, null) ?? desk.at) : desk.at;
      return { ...desk, items, at, remaining: change.remaining, dry: change.traces.length === 0 };
    }
    case "decided": {
      const items = desk.items.map((item) =>
        item.trace.trace_id === change.trace ? { ...item, decision: change.decision } : item,
      );
      const verdict = change.decision === "pass" || change.decision === "fail" ? change.decision : null;
      const { [change.trace]: _, ...drafts } = desk.drafts;
      return {
        ...desk,
        items: trimmed(items),
        // A verdict on what lies elsewhere on the desk moves nobody.
        at: change.trace === desk.at ? (nextOpen(items, change.trace) ?? desk.at) : desk.at,
        mode: change.trace === desk.at ? "reading" : desk.mode,
        drafts,
        undoable:
          verdict === null
            ? desk.undoable
            : [{ trace: change.trace, decision: verdict }, ...desk.undoable].slice(0, UNDO_DEPTH),
        decided: desk.decided + (verdict === null ? 0 : 1),
      };
    }
    case "undone": {
      const items = desk.items.map((item) =>
        item.trace.trace_id === change.trace ? { ...item, decision: null } : item,
      );
      const here = items.some((item) => item.trace.trace_id === change.trace);
      return {
        ...desk,
        items,
        at: here ? change.trace : desk.at,
        mode: "reading",
        undoable: desk.undoable.filter((one) => one.trace !== change.trace),
        decided: Math.max(0, desk.decided - 1),
      };
    }
    case "not-taken":
      // What was never stored cannot be undone: that would take back somebody else's review.
      return {
        ...desk,
        items: desk.items.map((item) =>
          item.trace.trace_id === change.trace ? { ...item, decision: "skipped" } : item,
        ),
        undoable: desk.undoable.filter((one) => one.trace !== change.trace),
        decided: Math.max(0, desk.decided - 1),
      };
    case "moved": {
      const index = desk.items.findIndex((item) => item.trace.trace_id === desk.at);
      const next = desk.items[index + change.by];
      return next === undefined ? desk : { ...desk, at: next.trace.trace_id, mode: "reading" };
    }
    case "went":
      return desk.items.some((item) => item.trace.trace_id === change.trace)
        ? { ...desk, at: change.trace, mode: "reading" }
        : desk;
    case "lost": {
      const gone = new Set(change.traces);
      const items = desk.items.filter((item) => item.decision !== null || !gone.has(item.trace.trace_id));
      if (desk.at === null || !gone.has(desk.at)) return { ...desk, items };
      return {
        ...desk,
        items,
        at: nextOpen(items, null) ?? items.at(-1)?.trace.trace_id ?? null,
        mode: "reading",
      };
    }
    case "mode":
      return openAt(desk) === null ? desk : { ...desk, mode: change.mode };
    case "wrote":
      return desk.at === null ? desk : { ...desk, drafts: { ...desk.drafts, [desk.at]: change.text } };
    case "refilled":
      return { ...desk, dry: false };
    case "emptied":
      return { ...EMPTY_DESK, undoable: desk.undoable, decided: desk.decided };
  }
}

/** The item that is looked at. */
export const current = (desk: Desk): Item | undefined =>
  desk.items.find((item) => item.trace.trace_id === desk.at);

/** The trace that a verdict would be about; null when there is none or it has one. */
export function openAt(desk: Desk): string | null {
  const item = current(desk);
  return item === undefined || item.decision !== null ? null : item.trace.trace_id;
}

/** Everything that still waits for a decision here. */
export const open = (desk: Desk): string[] =>
  desk.items.filter((item) => item.decision === null).map((item) => item.trace.trace_id);

/** How many to ask for, so that the next ones are there before they are wanted. */
export const wanting = (desk: Desk): number => (desk.dry ? 0 : Math.max(0, AHEAD + 1 - open(desk).length));

/** The next one without a decision: after the given one, else the first. */
function nextOpen(items: Item[], after: string | null): string | null {
  const index = items.findIndex((item) => item.trace.trace_id === after);
  const isOpen = (item: Item) => item.decision === null && item.trace.trace_id !== after;
  const next = items.slice(index + 1).find(isOpen) ?? items.find(isOpen);
  return next?.trace.trace_id ?? null;
}

function trimmed(items: Item[]): Item[] {
  const closed = items.filter((item) => item.decision !== null).length;
  let drop = closed - KEEP;
  return drop <= 0 ? items : items.filter((item) => item.decision === null || drop-- <= 0);
}
