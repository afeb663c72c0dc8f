// The review session as a pure state: the loaded runs, the decisions, and what can be undone.
import type { QueuedTrace } from "../../api/types";

export type Decision = "pass" | "fail" | "deferred" | "skipped";
export type Item = { trace: QueuedTrace; decision: Decision | null };

/** What the reviewer is doing. It is always visible on the screen. */
export type Mode =
  | "reading"
  /** A fail that still needs feedback. */
  | "failing"
  /** The reviewer writes feedback before the verdict. */
  | "writing"
  /** The feedback is complete and the verdict is missing. */
  | "asking"
  /** The reviewer chooses how long to defer. */
  | "deferring";

export type Verdict = { trace: string; task: string; decision: "pass" | "fail" };

export type ReviewSession = {
  items: Item[];
  /** The current trace. */
  at: string | null;
  /** The reviewer chose the current trace. New traces do not move the reviewer away from it. */
  chosen: boolean;
  mode: Mode;
  /** Feedback drafts of traces without a verdict. */
  drafts: Record<string, string>;
  /** Verdicts that can be undone, newest first. */
  undoable: Verdict[];
  /** The number of further pending traces, from the last response. */
  remaining: number;
  /** The last request returned no traces. */
  exhausted: boolean;
  decided: number;
};

export const EMPTY_SESSION: ReviewSession = {
  items: [],
  at: null,
  chosen: false,
  mode: "reading",
  drafts: {},
  undoable: [],
  remaining: 0,
  exhausted: false,
  decided: 0,
};

/** The number of traces loaded ahead of the current one. */
export const PREFETCH_COUNT = 3;
const UNDO_DEPTH = 20;
/** The number of decided items kept for looking back. */
const KEPT_DECIDED = 40;

export type Change =
  | { kind: "arrived"; traces: QueuedTrace[]; remaining: number }
  | { kind: "decided"; trace: string; decision: Decision }
  | { kind: "undone"; trace: string }
  /** The server rejected the verdict: another reviewer was faster. */
  | { kind: "rejected"; trace: string }
  | { kind: "moved"; by: 1 | -1 }
  | { kind: "jumped"; trace: string }
  | { kind: "lost"; traces: string[] }
  | { kind: "mode"; mode: Mode }
  | { kind: "typed"; text: string }
  | { kind: "refilled" }
  | { kind: "reset" };

export function applyChange(session: ReviewSession, change: Change): ReviewSession {
  switch (change.kind) {
    case "arrived": {
      const knownIds = new Set(session.items.map((item) => item.trace.trace_id));
      const added = change.traces.filter((trace) => !knownIds.has(trace.trace_id));
      const items = [...session.items, ...added.map((trace) => ({ trace, decision: null }))];
      // Show the first new trace only if there was no open one and the reviewer is not looking back. A key that moves
      // the reviewer may be pressed while the request is in flight.
      const stays = session.chosen || openTraces(session).length > 0;
      const at = stays ? session.at : (nextOpen(items, null) ?? session.at);
      return { ...session, items, at, remaining: change.remaining, exhausted: change.traces.length === 0 };
    }
    case "decided": {
      const items = session.items.map((item) =>
        item.trace.trace_id === change.trace ? { ...item, decision: change.decision } : item,
      );
      const item = session.items.find((one) => one.trace.trace_id === change.trace);
      const task = item?.trace.digest.task ?? "";
      const verdict = change.decision === "pass" || change.decision === "fail" ? change.decision : null;
      const { [change.trace]: _, ...drafts } = session.drafts;
      return {
        ...session,
        items: dropOldDecided(items),
        // A verdict on another trace does not move the reviewer.
        at: change.trace === session.at ? (nextOpen(items, change.trace) ?? session.at) : session.at,
        chosen: change.trace === session.at ? false : session.chosen,
        mode: change.trace === session.at ? "reading" : session.mode,
        drafts,
        undoable:
          verdict === null
            ? session.undoable
            : [{ trace: change.trace, task, decision: verdict }, ...session.undoable].slice(0, UNDO_DEPTH),
        decided: session.decided + (verdict === null ? 0 : 1),
      };
    }
    case "undone": {
      const items = session.items.map((item) =>
        item.trace.trace_id === change.trace ? { ...item, decision: null } : item,
      );
      const here = items.some((item) => item.trace.trace_id === change.trace);
      return {
        ...session,
        items,
        at: here ? change.trace : session.at,
        chosen: false,
        mode: "reading",
        undoable: session.undoable.filter((one) => one.trace !== change.trace),
        decided: Math.max(0, session.decided - 1),
      };
    }
    case "rejected":
      // A verdict that was not stored cannot be undone: that would undo another reviewer's verdict.
      return {
        ...session,
        items: session.items.map((item) =>
          item.trace.trace_id === change.trace ? { ...item, decision: "skipped" } : item,
        ),
        undoable: session.undoable.filter((one) => one.trace !== change.trace),
        decided: Math.max(0, session.decided - 1),
      };
    case "moved": {
      const index = session.items.findIndex((item) => item.trace.trace_id === session.at);
      const next = session.items[index + change.by];
      return next === undefined
        ? session
        : { ...session, at: next.trace.trace_id, chosen: true, mode: "reading" };
    }
    case "jumped":
      return session.items.some((item) => item.trace.trace_id === change.trace)
        ? { ...session, at: change.trace, chosen: true, mode: "reading" }
        : session;
    case "lost": {
      const lostIds = new Set(change.traces);
      const items = session.items.filter(
        (item) => item.decision !== null || !lostIds.has(item.trace.trace_id),
      );
      if (session.at === null || !lostIds.has(session.at)) return { ...session, items };
      return {
        ...session,
        items,
        at: nextOpen(items, null) ?? items.at(-1)?.trace.trace_id ?? null,
        chosen: false,
        mode: "reading",
      };
    }
    case "mode":
      return currentOpenTrace(session) === null ? session : { ...session, mode: change.mode };
    case "typed":
      return session.at === null
        ? session
        : { ...session, drafts: { ...session.drafts, [session.at]: change.text } };
    case "refilled":
      return { ...session, exhausted: false };
    case "reset":
      return { ...EMPTY_SESSION, undoable: session.undoable, decided: session.decided };
  }
}

/** The current item. */
export const current = (session: ReviewSession): Item | undefined =>
  session.items.find((item) => item.trace.trace_id === session.at);

/** The trace that a verdict would apply to; null if there is none or it has a verdict. */
export function currentOpenTrace(session: ReviewSession): string | null {
  const item = current(session);
  return item === undefined || item.decision !== null ? null : item.trace.trace_id;
}

/** All traces without a decision. */
export const openTraces = (session: ReviewSession): string[] =>
  session.items.filter((item) => item.decision === null).map((item) => item.trace.trace_id);

/** How many traces to request to have the next ones loaded before they are needed. */
export const missingCount = (session: ReviewSession): number =>
  session.exhausted ? 0 : Math.max(0, PREFETCH_COUNT + 1 - openTraces(session).length);

/** The next trace without a decision: after the given one, else the first. */
function nextOpen(items: Item[], after: string | null): string | null {
  const index = items.findIndex((item) => item.trace.trace_id === after);
  const isOpen = (item: Item) => item.decision === null && item.trace.trace_id !== after;
  const next = items.slice(index + 1).find(isOpen) ?? items.find(isOpen);
  return next?.trace.trace_id ?? null;
}

function dropOldDecided(items: Item[]): Item[] {
  const closed = items.filter((item) => item.decision !== null).length;
  let drop = closed - KEPT_DECIDED;
  return drop <= 0 ? items : items.filter((item) => item.decision === null || drop-- <= 0);
}
