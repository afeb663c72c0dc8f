import type { ReactNode } from "react";
import type { BulkReviewed } from "../../api/types";
import { atLeast, counted, number } from "../../parts/time";

type Result = "pass" | "fail";

export const review = {
  title: "Review",
  run: "Run",
  yourVerdict: "Your verdict",
  backToSummary: "Back to the summary",
  loadFailed: "The queue could not be loaded",
  tryAgain: "Try again",
  noAnswer: "The run ended without an answer.",
  results: { pass: "Pass", fail: "Fail" },
  cancel: "Cancel",
  undo: "Undo",

  progress: {
    label: "Reviewed",
    counts: (now: {
      decided: number;
      waiting: { count: number; more: boolean };
      matching: number | null;
    }) => {
      const matching = now.matching === null ? "" : `, ${number(now.matching)} match the filter`;
      return `${number(now.decided)} done, ${atLeast(now.waiting.count, now.waiting.more)} pending${matching}`;
    },
    unsent: (count: number) => `${number(count)} not sent yet`,
  },

  queue: {
    title: "Queue",
    filter: "Filter the queue",
    filterHint: "For example signal:tool_error",
    order: "Order",
    orders: {
      informative: "most informative",
      newest: "newest",
      oldest: "oldest",
      errors: "errors first",
      random: "random",
    },
    decisions: { pass: "pass", fail: "fail", deferred: "deferred", skipped: "skipped" },
    more: (count: number) => `and ${number(count)} more`,
  },

  empty: {
    title: "No runs are pending",
    titleFiltered: "No pending run matches this filter",
    clear: "Clear the filter",
    about: (now: { reviewedToday: number | null; leased: number; deferred: number; skipped: number }) => {
      const unavailable = [
        now.leased === 0 ? null : `${number(now.leased)} being reviewed by others`,
        now.deferred === 0 ? null : `${number(now.deferred)} deferred`,
        now.skipped === 0 ? null : `${number(now.skipped)} skipped by you`,
      ].filter((part) => part !== null);
      const sentences = [
        now.reviewedToday === null ? null : `${number(now.reviewedToday)} reviewed today.`,
        unavailable.length === 0 ? null : `Not available now: ${unavailable.join(", ")}.`,
        "New runs appear here automatically.",
      ];
      return sentences.filter((sentence) => sentence !== null).join(" ");
    },
    showReviewed: "Show reviewed runs",
  },

  digest: {
    task: "Task",
    wholeTask: "Show the whole task",
    steps: (total: number | null, failed: number) => {
      if (total === null) return "Steps";
      return `Steps (${number(total)}${failed > 0 ? `, ${number(failed)} failed` : ""})`;
    },
    wholeRun: "Whole run",
    tooLong: "This run is too long to list its steps. Open the whole run to read them.",
    answer: "Final answer",
    wholeAnswer: "Show the whole answer",
    memories: (count: number) => `Memories used (${number(count)})`,
    noMemories: "None. Your verdict still creates a new one.",
    /** What the server noticed in the run. Signals of other systems are something else. */
    signals: "Hints",
    signal: (name: string, count: number, step: number | null) =>
      `${name}${count > 1 ? ` × ${number(count)}` : ""}${step === null ? "" : `, step ${number(step)}`}`,
    signalNames: {
      tool_error: "tool error",
      exception: "exception",
      repeated_call: "same call repeated",
      empty_answer: "empty answer",
      interrupted: "interrupted",
      short_answer: "answer shorter than usual",
      long_answer: "answer longer than usual",
      many_messages: "more messages than usual",
      slow: "slower than usual",
      costly: "more tokens than usual",
      degraded_retrieval: "memories found by keyword search only",
    },
    stored: (time: ReactNode): ReactNode => <>stored {time}</>,
    shownEarly: (reasons: readonly string[]) => `shown early because ${reasons.join(", ")}`,
    reasons: {
      thin_evidence: "its memories have few reviews",
      conflicting_outcomes: "its memories had mixed results",
      judge_disagrees: "the judge and the hints disagree",
      no_near_memory: "no memory is similar to this task",
      age: "it has been pending for a long time",
    },
    deferredBefore: (reviewer: string, note: string | null) =>
      `deferred before by ${reviewer}${note === null ? "" : `: ${note}`}`,
  },

  steps: {
    folded: { system: "System prompt", memory: "Memories in the prompt" },
    gap: (count: number) => `${counted(count, "step", "steps")} not listed here`,
    hide: "Hide",
    hideOf: (step: number) => `Hide the text of step ${number(step)}`,
    show: (size: string) => `${size}, show`,
    showOf: (size: string, step: number) => `${size}, show the text of step ${number(step)}`,
    result: "result",
    resultBefore: "Result: ",
    failedAfter: ", failed",
    media: "media",
  },

  memories: {
    now: "recent average now",
    ifPass: "if it passes",
    ifFail: "if it fails",
    value: (value: string, reviews: number | null) =>
      reviews === null ? value : `${value} (n = ${number(reviews)})`,
  },

  verdict: {
    label: "Verdict",
    question: "Was this correct?",
    questionAfterFeedback: "Was it correct?",
    decided: {
      pass: "You passed this run.",
      fail: "You failed this run.",
      deferred: "You deferred this run.",
      skipped: "You skipped this run.",
    },
    undoLast: "Undo the last verdict",
    next: "Next",
    defer: "Defer",
    deferUntil: "Defer until",
    deferHour: "In an hour",
    deferDay: "Tomorrow",
    deferWeek: "Next week",
    deferCancel: "Do not defer",
    skip: "Skip",
  },

  feedback: {
    label: "Feedback",
    hint: "Optional. For a fail, it becomes the lesson.",
    whatWasWrong: "What was wrong?",
    vague: "Vague: which step was wrong, and what should the agent have done?",
    specific: "Specific enough for a lesson.",
    keysFailing: (key: string) => `${key} fails the run, Esc goes back.`,
    keysWriting: (key: string) => `${key} continues to the verdict, Esc goes back.`,
    send: "Send",
    continue: "Continue",
    sendWithout: "Send without feedback",
    recent: "Recent feedback",
    missing: "Describe what was wrong, or send it without feedback.",
    aboutStep: (step: number) => `step ${step}: `,
  },

  messages: {
    decided: { pass: "Passed", fail: "Failed" },
    undone: { pass: "Pass undone", fail: "Fail undone" },
    deferred: {
      hour: "Deferred for an hour",
      day: "Deferred until tomorrow",
      week: "Deferred until next week",
    },
    ofRun: (what: string, task: string) => `${what}: ${task}`,
    announced: (what: string) => `${what}.`,
    announcedCount: (what: string, done: number) => `${what}. ${number(done)} done.`,
    skipped: "Skipped.",
    nothingToUndo: "This session has no verdict to undo.",
    rejected: (why: string) => `The server rejected a verdict: ${why}`,
    conflict: (result: Result, reviewer: string | null, time: string) =>
      `${reviewer ?? "Another reviewer"} ${result === "pass" ? "passed" : "failed"} this run ${time}.`,
    conflictUnknown: "Another reviewer reviewed this run before you.",
    keepTheirs: "Keep theirs",
    replace: "Replace",
  },

  recent: {
    title: "Your last verdicts",
    decided: { pass: "Passed", fail: "Failed" },
    line: (used: string | null, lesson: string, link: ReactNode): ReactNode => (
      <>
        {used === null ? "" : `${used} `}
        {lesson}
        {link === null ? null : <>, {link}</>}
      </>
    ),
    view: "view",
    viewLesson: "view the lesson",
    inSeconds: (seconds: number) => `Lesson in about ${number(seconds)} s, unless you undo.`,
    notStored: "Not stored yet.",
    countedFor: (memories: number) => `Counted for ${counted(memories, "memory", "memories")}.`,
    failed: (why: string | null) => `No lesson: ${why ?? "learning failed."}`,
    inProgress: "The lesson is being written.",
    none: "No new lesson.",
    saved: (lesson: string | null) => (lesson === null ? "Lesson saved" : `Lesson saved: ${lesson}`),
  },

  bulk: {
    title: "One verdict for many runs",
    verdict: "Verdict",
    selected: (runs: number) =>
      runs === 1 ? "The run that you selected." : `The ${number(runs)} runs that you selected.`,
    allPending: "All pending runs.",
    allMatching: (filter: string) => `All pending runs that match ${filter}.`,
    feedback: { pass: "Feedback for all of them", fail: "What was wrong with all of them (required)" },
    preview: (would: BulkReviewed, result: Result) => {
      const effects = [
        `${counted(would.traces, "run gets", "runs get")} a ${result}`,
        counted(would.utilities, "utility changes", "utilities change"),
        would.reflections === 0
          ? "no model is called"
          : `up to ${counted(would.reflections, "reflection", "reflections")} (about ${number(would.tokens)} tokens)`,
      ];
      const others = [
        would.skipped === 0
          ? null
          : counted(
              would.skipped,
              "has a review already and is not changed",
              "have a review already and are not changed",
            ),
        would.left === 0
          ? null
          : counted(would.left, "more matches and needs another batch", "more match and need another batch"),
      ].filter((part) => part !== null);
      return `${effects.join(", ")}.${others.length === 0 ? "" : ` ${others.join("; ")}.`}`;
    },
    checkFirst: "Check a sample first",
    apply: (result: Result, runs: number | null) => {
      const verdict = result === "pass" ? "Pass" : "Fail";
      return runs === null ? verdict : `${verdict} ${counted(runs, "run", "runs")}`;
    },
    done: (done: BulkReviewed, result: Result) => {
      const skipped = done.skipped > 0 ? `, ${number(done.skipped)} not changed` : "";
      return `${counted(done.traces, "run", "runs")} ${result === "pass" ? "passed" : "failed"}${skipped}.`;
    },
    undoAll: "Undo all",
    undone: "The whole batch was undone.",
  },

  spotCheck: {
    title: (at: number, of: number) =>
      `Spot check, ${number(at)} of ${number(of)}: which verdict would you give?`,
    answers: { pass: "This run passes", fail: "This run fails" },
    agreed: (runs: number) => `You checked ${number(runs)} of them and agreed each time.`,
    stopped:
      "You would give this run the other verdict, so these runs differ. Nothing was changed: review them one by one, or select fewer.",
    notLoaded: "None of these runs could be loaded.",
  },

  keyGroups: { verdict: "Verdict", view: "View", bulk: "Bulk actions" },
  keys: {
    pass: "Pass",
    fail: "Fail with feedback",
    failSilently: "Fail without feedback",
    feedback: "Write feedback",
    note: "Note on the current step",
    submit: "Send feedback",
    cancel: "Cancel",
    defer: "Defer",
    deferHour: "Defer for an hour",
    deferDay: "Defer until tomorrow",
    deferWeek: "Defer until next week",
    skip: "Skip for this session",
    undo: "Undo the last verdict",
    next: "Next run",
    previous: "Previous run",
    open: "Full trajectory",
    stepBack: "Step back",
    stepOn: "Step forward",
    nextError: "Next error",
    find: "Find in the trajectory",
    raw: "Show raw",
    bulk: "One verdict for many runs",
  },
};
