// The reviewer's actions: they change the session at once and reach the server through the outbox.
import { seenLongEnough } from "../../keys/machine";
import { announce } from "../../parts/announce";
import { notify } from "../../parts/notifications";
import { excerpt } from "../../parts/clamp";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { current, currentOpenTrace } from "./session";
import { rememberFeedback } from "./recent-feedback";
import { outbox } from "./send";
import type { SessionStore } from "./session-store";

const HOUR = 3_600;
const DEFER_SECONDS = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR };

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
  const name = currentTask(store);
  const feedback = (store.session.drafts[trace] ?? "").trim();
  if (feedback !== "" && result === "fail") rememberFeedback(store.project, feedback);
  void outbox.add(store.project, trace, {
    kind: "review",
    result,
    feedback: feedback === "" ? null : feedback,
    replace: false,
  });
  store.change({ kind: "decided", trace, decision: result });
  const texts = t.review.messages;
  const label = texts.decided[result];
  announce(texts.announcedCount(label, store.session.decided));
  closeMessages();
  showMessage({
    text: texts.ofRun(label, name),
    choices: [{ label: t.review.undo, key: "u", run: () => undo(store) }],
  });
  return true;
}

/** Functions that close the messages about decisions. A verdict and an undo close the earlier ones. */
let messages: (() => void)[] = [];

function showMessage(message: Parameters<typeof notify>[0]): void {
  messages.push(notify(message));
}

function closeMessages(): void {
  for (const close of messages) close();
  messages = [];
}

/** Undoes the newest verdict. */
export function undo(store: SessionStore): void {
  const texts = t.review.messages;
  const newest = store.session.undoable[0];
  if (newest === undefined) {
    notify({ text: texts.nothingToUndo });
    return;
  }
  if (!outbox.cancelUnsent(newest.trace)) void outbox.add(store.project, newest.trace, { kind: "withdraw" });
  store.change({ kind: "undone", trace: newest.trace });
  closeMessages();
  const label = texts.undone[newest.decision];
  announce(texts.announced(label));
  showMessage({ text: texts.ofRun(label, nameOf(newest.task)) });
}

export function defer(store: SessionStore, span: keyof typeof DEFER_SECONDS): void {
  const trace = currentOpenTrace(store.session);
  if (trace === null) return;
  const name = currentTask(store);
  const note = (store.session.drafts[trace] ?? "").trim();
  const seconds = DEFER_SECONDS[span];
  void outbox.add(store.project, trace, { kind: "defer", seconds, note: note === "" ? null : note });
  store.change({ kind: "decided", trace, decision: "deferred" });
  const texts = t.review.messages;
  const label = texts.deferred[span];
  announce(texts.announced(label));
  // The message about the newest verdict stays: undo still refers to it.
  showMessage({ text: texts.ofRun(label, name) });
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
  announce(t.review.messages.skipped);
}

const currentTask = (store: SessionStore) => nameOf(current(store.session)?.trace.digest.task ?? "");

/** The task of a run, short enough for a message. */
const nameOf = (task: string) => shown(excerpt(task, 60));
