// What a reviewer's actions do: to the desk at once, to the server by way of the outbox.
import { seenLongEnough } from "../../keys/machine";
import { announce } from "../../shell/announce";
import { tell } from "../../shell/toasts";
import { clamp } from "../../parts/measure";
import { shown } from "../../parts/reveal";
import { current, type Desk, openAt } from "./desk";
import { noteFeedback } from "./phrases";
import { outbox } from "./post";
import type { DeskStore } from "./store";

const DONE: Record<"pass" | "fail", string> = { pass: "Passed", fail: "Failed" };

/** Gives the verdict on the run that is looked at. False when it was not on screen long enough, or has one. */
export function decide(store: DeskStore, result: "pass" | "fail", shownSince: number | null): boolean {
  return seenLongEnough(shownSince, performance.now()) && conclude(store, result);
}

/** The same for somebody who has chosen before and written about it since: that is a look. */
export function conclude(store: DeskStore, result: "pass" | "fail"): boolean {
  const trace = openAt(store.desk);
  if (trace === null) return false;
  const name = nameOf(store.desk);
  const feedback = (store.desk.drafts[trace] ?? "").trim();
  if (feedback !== "" && result === "fail") noteFeedback(store.project, feedback);
  void outbox.add(store.project, trace, {
    kind: "review",
    result,
    feedback: feedback === "" ? null : feedback,
    replace: false,
  });
  store.change({ kind: "decided", trace, decision: result });
  announce(`${DONE[result]}. ${store.desk.decided} done.`);
  undoToast(store, `${DONE[result]}: ${name}`);
  return true;
}

let toastDown: () => void = () => undefined;

/** One message for the newest verdict; the ones before it would only pile up. */
function undoToast(store: DeskStore, text: string): void {
  toastDown();
  toastDown = tell({ text, choices: [{ label: "Undo", key: "u", run: () => undo(store) }] });
}

/** Takes the newest verdict back. */
export function undo(store: DeskStore): void {
  const newest = store.desk.undoable[0];
  if (newest === undefined) {
    tell({ text: "There is no verdict of this session left to undo." });
    return;
  }
  if (!outbox.recall(newest.trace)) void outbox.add(store.project, newest.trace, { kind: "withdraw" });
  store.change({ kind: "undone", trace: newest.trace });
  toastDown();
  announce("Undone.");
}

export function defer(store: DeskStore, seconds: number, words: string): void {
  const trace = openAt(store.desk);
  if (trace === null) return;
  const note = (store.desk.drafts[trace] ?? "").trim();
  void outbox.add(store.project, trace, { kind: "defer", seconds, note: note === "" ? null : note });
  store.change({ kind: "decided", trace, decision: "deferred" });
  announce(`Deferred ${words}.`);
  tell({ text: `Deferred ${words}.` });
}

/** For me and for now: nothing is written, others may have it at once. */
export function skip(store: DeskStore): void {
  const trace = openAt(store.desk);
  if (trace === null) return;
  store.change({ kind: "decided", trace, decision: "skipped" });
  void store.giveBack([trace]);
  announce("Skipped.");
}

function nameOf(desk: Desk): string {
  return shown(clamp(current(desk)?.trace.digest.task ?? "", 1, 60).text);
}
