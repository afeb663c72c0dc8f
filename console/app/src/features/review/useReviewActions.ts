// The actions of the review page's keys.
import type { RefObject } from "react";
import { flushSync } from "react-dom";
import type { View } from "../trace/view";
import { notify } from "../../parts/notifications";
import { t } from "../../texts";
import type { ReplayHandle } from "../trace/Replay";
import { recordVerdict, decide, defer, skip, undo } from "./decide";
import { current, type ReviewSession, currentOpenTrace } from "./session";
import type { SessionStore } from "./session-store";
import { neighbourStep, rowsOf } from "./step-rows";

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
  const digest = current(session)?.trace.digest;
  const steps = digest?.steps?.listed ?? [];
  const draft = trace === null ? "" : (session.drafts[trace] ?? "");
  const mode = (to: ReviewSession["mode"]) => store.change({ kind: "mode", mode: to });
  const giveVerdict = (result: "pass" | "fail") => {
    if (decide(store, result, page.shownSince.current)) leaveText();
  };
  const write = (to: "failing" | "writing") => {
    // A small screen shows the field in this mode only, and a hidden field cannot get the focus.
    flushSync(() => mode(to));
    field.current?.focus();
  };
  const move = (by: number) => {
    if (whole !== null) return replay.current?.move(by);
    if (digest !== undefined) setStep(neighbourStep(rowsOf(digest, new Map()), step, by));
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
      const before = draft === "" ? "" : `${draft.trimEnd()}\n`;
      store.change({ kind: "typed", text: before + t.review.feedback.aboutStep(step) });
      write("writing");
    },
    submit: () => {
      if (session.mode === "failing") {
        if (draft.trim() === "") notify({ text: t.review.feedback.missing });
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
    "defer-hour": () => session.mode === "deferring" && defer(store, "hour"),
    "defer-day": () => session.mode === "deferring" && defer(store, "day"),
    "defer-week": () => session.mode === "deferring" && defer(store, "week"),
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
