// What the keys of the review page do.
import type { RefObject } from "react";
import type { View } from "../../router";
import { tell } from "../../shell/toasts";
import type { ReplayHandle } from "../trace/Replay";
import { conclude, decide, defer, skip, undo } from "./decide";
import { current, type Desk, openAt } from "./desk";
import type { DeskStore } from "./store";

const HOUR = 3_600;
const DAY = 24 * HOUR;

export function useReviewActions(page: {
  store: DeskStore;
  desk: Desk;
  step: number;
  setStep: (step: number) => void;
  whole: View | null;
  /** Opens the whole run, perhaps to find something in it, or closes it. */
  setWhole: (view: View | null, find?: boolean) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  replay: RefObject<ReplayHandle | null>;
  shownSince: RefObject<number | null>;
  openBulk: () => void;
}) {
  const { store, desk, step, setStep, whole, setWhole, field, replay } = page;
  const trace = openAt(desk);
  const steps = current(desk)?.trace.digest.steps?.listed ?? [];
  const draft = trace === null ? "" : (desk.drafts[trace] ?? "");
  const mode = (to: Desk["mode"]) => store.change({ kind: "mode", mode: to });
  const give = (result: "pass" | "fail") => {
    if (decide(store, result, page.shownSince.current)) leaveText();
  };
  const write = (to: "failing" | "writing") => {
    mode(to);
    // The field is there already; only the focus moves.
    field.current?.focus();
  };
  const move = (by: number) => {
    if (whole !== null) return replay.current?.move(by);
    const index = steps.findIndex((one) => one.step === step);
    const next = steps[Math.max(0, Math.min(steps.length - 1, index + by))];
    if (next !== undefined) setStep(next.step);
  };
  return {
    pass: () => give("pass"),
    fail: () => {
      // Feedback that was written before the verdict goes with it.
      if (desk.mode === "asking") give("fail");
      else if (trace !== null) write("failing");
    },
    "fail-silently": () => give("fail"),
    feedback: () => write("writing"),
    note: () => {
      if (trace === null) return;
      store.change({ kind: "wrote", text: `${draft === "" ? "" : `${draft.trimEnd()}\n`}step ${step}: ` });
      write("writing");
    },
    submit: () => {
      if (desk.mode === "failing") {
        if (draft.trim() === "")
          tell({ text: "Say what was wrong, or press Esc and Shift+N to fail it without a word." });
        else if (conclude(store, "fail")) leaveText();
      } else if (desk.mode === "writing") {
        mode("asking");
        leaveText();
      }
    },
    cancel: () => {
      if (desk.mode !== "reading") mode("reading");
      else if (whole !== null && !inText()) setWhole(null);
      leaveText();
    },
    defer: () => mode("deferring"),
    "defer-hour": () => desk.mode === "deferring" && defer(store, HOUR, "for an hour"),
    "defer-day": () => desk.mode === "deferring" && defer(store, DAY, "until tomorrow"),
    "defer-week": () => desk.mode === "deferring" && defer(store, 7 * DAY, "until next week"),
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

/** Keys belong to the page again, and so does whoever follows by ear. */
function leaveText(): void {
  if (inText()) document.getElementById("main")?.focus({ preventScroll: true });
}
