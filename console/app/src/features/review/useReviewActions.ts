// The actions of the review page's keys.
import type { RefObject } from "react";
import type { View } from "../trace/view";
import { notify } from "../../parts/notifications";
import type { ReplayHandle } from "../trace/Replay";
import { recordVerdict, decide, defer, skip, undo } from "./decide";
import { current, type ReviewSession, currentOpenTrace } from "./session";
import type { SessionStore } from "./session-store";

const HOUR = 3_600;
const DAY = 24 * HOUR;

export function useReviewActions(page: {
  store: SessionStore;
  session: ReviewSession;
  step: number;
  setStep: (step: number) => void;
  whole: View | null;
  /** Opens or closes the full run, optionally with the search field. */
  setWhole: (view: View | null, find?: boolean) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  replay: RefObject<ReplayHandle | null>;
  shownSince: RefObject<number | null>;
  openBulk: () => void;
}) {
  const { store, session, step, setStep, whole, setWhole, field, replay } = page;
  const trace = currentOpenTrace(session);
  const steps = current(session)?.trace.digest.steps?.listed ?? [];
  const draft = trace === null ? "" : (session.drafts[trace] ?? "");
  const mode = (to: ReviewSession["mode"]) => store.change({ kind: "mode", mode: to });
  const giveVerdict = (result: "pass" | "fail") => {
    if (decide(store, result, page.shownSince.current)) leaveText();
  };
  const write = (to: "failing" | "writing") => {
    mode(to);
    // The field is rendered already; only the focus moves.
    field.current?.focus();
  };
  const move = (by: number) => {
    if (whole !== null) return replay.current?.move(by);
    const index = steps.findIndex((one) => one.step === step);
    const next = steps[Math.max(0, Math.min(steps.length - 1, index + by))];
    if (next !== undefined) setStep(next.step);
  };
  return {
    pass: () => giveVerdict("pass"),
    fail: () => {
      // Feedback written before the verdict is sent with it.
      if (session.mode === "asking") giveVerdict("fail");
      else if (trace !== null) write("failing");
    },
    "fail-silently": () => giveVerdict("fail"),
    feedback: () => write("writing"),
    note: () => {
      if (trace === null) return;
      store.change({ kind: "typed", text: `${draft === "" ? "" : `${draft.trimEnd()}\n`}step ${step}: ` });
      write("writing");
    },
    submit: () => {
      if (session.mode === "failing") {
        if (draft.trim() === "")
          notify({ text: "Describe what was wrong, or press Esc and Shift+N to fail it without feedback." });
        else if (recordVerdict(store, "fail")) leaveText();
      } else if (session.mode === "writing") {
        mode("asking");
        leaveText();
      }
    },
    cancel: () => {
      if (session.mode !== "reading") mode("reading");
      else if (whole !== null && !inText()) setWhole(null);
      leaveText();
    },
    defer: () => mode("deferring"),
    "defer-hour": () => session.mode === "deferring" && defer(store, HOUR, "for an hour"),
    "defer-day": () => session.mode === "deferring" && defer(store, DAY, "until tomorrow"),
    "defer-week": () => session.mode === "deferring" && defer(store, 7 * DAY, "until next week"),
    skip: () => skip(store),
    undo: () => undo(store),
    next: () => store.change({ kind: "moved", by: 1 }),
    previous: () => store.change({ kind: "moved", by: -1 }),
    open: () => setWhole(whole === null ? "conversation" : null),
    raw: () => setWhole(whole === "raw" ? "conversation" : "raw"),
    "step-back": () => move(-1),
    "step-on": () => move(1),
    "next-error": () => {
      if (whole !== null) return replay.current?.nextError();
      const failed = steps.filter((one) => one.failed);
      const next = failed.find((one) => one.step > step) ?? failed[0];
      if (next !== undefined) setStep(next.step);
    },
    find: () => {
      if (whole === null) setWhole("conversation", true);
      else replay.current?.find();
    },
    bulk: page.openBulk,
  };
}

const inText = () =>
  document.activeElement instanceof HTMLTextAreaElement || document.activeElement instanceof HTMLInputElement;

/** Moves the keyboard focus and the screen reader back to the page. */
function leaveText(): void {
  if (inText()) document.getElementById("main")?.focus({ preventScroll: true });
}
