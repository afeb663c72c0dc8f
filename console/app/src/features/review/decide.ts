// The reviewer's actions: they change the session at once and reach the server through the outbox.
import { seenLongEnough } from "../../keys/machine";
import { announce } from "../../parts/announce";
import { notify } from "../../parts/notifications";
import { clamp } from "../../parts/clamp";
import { shown } from "../../parts/reveal";
import { current, type ReviewSession, currentOpenTrace } from "./session";
import { rememberFeedback } from "./recent-feedback";
import { outbox } from "./send";
import type { SessionStore } from "./session-store";

const RESULT_LABELS: Record<"pass" | "fail", string> = { pass: "Passed", fail: "Failed" };

/**
 * Gives the verdict on the current run. Returns false if the run was not visible long enough or already has a
 * verdict.
 */
export function decide(store: SessionStore, result: "pass" | "fail", shownSince: number | null): boolean {
  return seenLongEnough(shownSince, performance.now()) && recordVerdict(store, result);
}

/** The same without the visibility check, for a reviewer who chose before and has written feedback since. */
export function recordVerdict(store: SessionStore, result: "pass" | "fail"): boolean {
  const trace = currentOpenTrace(store.session);
  if (trace === null) return false;
  const name = taskOf(store.session);
  const feedback = (store.session.drafts[trace] ?? "").trim();
  if (feedback !== "" && result === "fail") rememberFeedback(store.project, feedback);
  void outbox.add(store.project, trace, {
    kind: "review",
    result,
    feedback: feedback === "" ? null : feedback,
    replace: false,
  });
  store.change({ kind: "decided", trace, decision: result });
  announce(`${RESULT_LABELS[result]}. ${store.session.decided} done.`);
  showUndoNotification(store, `${RESULT_LABELS[result]}: ${name}`);
  return true;
}

let closeUndoNotification: () => void = () => undefined;

/** Shows one message for the newest verdict and closes the previous one. */
function showUndoNotification(store: SessionStore, text: string): void {
  closeUndoNotification();
  closeUndoNotification = notify({ text, choices: [{ label: "Undo", key: "u", run: () => undo(store) }] });
}

/** Undoes the newest verdict. */
export function undo(store: SessionStore): void {
  const newest = store.session.undoable[0];
  if (newest === undefined) {
    notify({ text: "This session has no verdict to undo." });
    return;
  }
  if (!outbox.cancelUnsent(newest.trace)) void outbox.add(store.project, newest.trace, { kind: "withdraw" });
  store.change({ kind: "undone", trace: newest.trace });
  closeUndoNotification();
  announce("Undone.");
}

export function defer(store: SessionStore, seconds: number, words: string): void {
  const trace = currentOpenTrace(store.session);
  if (trace === null) return;
  const note = (store.session.drafts[trace] ?? "").trim();
  void outbox.add(store.project, trace, { kind: "defer", seconds, note: note === "" ? null : note });
  store.change({ kind: "decided", trace, decision: "deferred" });
  announce(`Deferred ${words}.`);
  notify({ text: `Deferred ${words}.` });
}

/**
 * Skips the run for this reviewer and this session: nothing is stored, and other reviewers can get the run at
 * once.
 */
export function skip(store: SessionStore): void {
  const trace = currentOpenTrace(store.session);
  if (trace === null) return;
  store.change({ kind: "decided", trace, decision: "skipped" });
  void store.releaseInOrder([trace]);
  announce("Skipped.");
}

function taskOf(session: ReviewSession): string {
  return shown(clamp(current(session)?.trace.digest.task ?? "", 1, 60).text);
}
