import type { ReactNode } from "react";
import type { Schemas } from "../../api/types";
import type { Step } from "../../features/overview/onboarding-progress";
import type { Stage } from "../../features/overview/stages";
import { atLeast, counted, number } from "../../parts/time";

/** What the user can do about a finding. Without advice, only a change to the agent's program helps. */
type CheckTexts = { open: string; advice?: string; also?: string };

export const overview = {
  notLoaded: "The overview could not be loaded",
  updated: (time: ReactNode) => <>Updated {time}</>,
  keys: {
    group: "Overview",
    nextStep: "Do the recommended action",
    dismiss: "Dismiss the onboarding checklist",
  },
  loop: {
    label: "Loop",
    passRate: "Pass rate, last 30 days",
    causes: "Do the lessons cause the change?",
    newest: "Recently learned",
    noLessons: "A lesson appears here after the first review.",
    nothingNew: "The last reviewed runs passed and added no new lesson.",
    failed: "Failed lessons",
    noReason: "No reason was recorded.",
  },
  counters: {
    title: "The last 7 days",
    weakest: "weakest stage",
    names: {
      traces: "Runs",
      reviews: "Reviewed",
      reflections: "Learned from",
      memories: "Received lessons",
    } satisfies Record<Stage, string>,
    lastDay: (runs: number) => `${number(runs)} in the last 24 hours`,
    reviewed: (reviewed: number, runs: number, oldest: ReactNode) => (
      <>
        {number(reviewed)} of {counted(runs, "run", "runs")}
        {oldest === null ? null : <>, oldest pending {oldest}</>}
      </>
    ),
    learned: (of: { queued: number; failed: number; lessons: number; situations: number }) =>
      [
        ...(of.queued === 0 ? [] : [`${number(of.queued)} in progress`]),
        ...(of.failed === 0 ? [] : [`${number(of.failed)} failed`]),
        `${counted(of.lessons, "lesson", "lessons")} for ${counted(of.situations, "situation", "situations")} in total`,
      ].join(", "),
    received: (received: number, runs: number) => `${number(received)} of ${counted(runs, "run", "runs")}`,
  },
  steps: {
    review: {
      label: (pending: number, more: boolean) =>
        `Review ${atLeast(pending, more)} pending ${pending === 1 ? "run" : "runs"}`,
      why: "Reflect learns only from reviewed runs.",
    },
    seeLearning: { label: "See whether the agent improves", why: "No run is waiting for review." },
    openReview: { label: "Open review", why: "No run is waiting for review." },
    openTraces: { label: "Open traces" },
    checkKeys: { label: "Check the API keys", why: "No run was stored in the last 7 days." },
    openLessons: { label: "Open lessons" },
    showFailed: { label: "Show failed lessons", why: "Some reviewed runs produced no lesson." },
    tryTask: { label: "Try a task", why: "There are lessons, but few runs receive one." },
  },
  health: {
    title: "Loop health",
    noProblems: "No problems found.",
    forDevelopers: "For developers",
    rest: (passed: number, unknown: number) =>
      `${counted(passed, "check", "checks")} passed${unknown === 0 ? "" : `, ${number(unknown)} without enough data`}`,
    levels: {
      failing: "Failing:",
      warning: "Warning:",
      ok: "OK:",
      unknown: "Not enough data:",
    } satisfies Record<Schemas["HealthLevel"], string>,
    checks: {
      nobody_reviews: {
        open: "Review now",
        advice: "Review some of them, or let a judge review the rest.",
        also: "Set up the judge",
      },
      credit_lost: { open: "Open traces" },
      always_empty: { open: "Try a task" },
      flat_utilities: { open: "Open learning" },
      reflection_failing: {
        open: "Show failed runs",
        advice: "Open a run to see the reason. Fix the cause, then retry there.",
      },
      vague_feedback: {
        open: "Review",
        advice:
          "Write what the agent should have done. “Ask for a photo before you refund” is useful, “wrong” is not.",
      },
      judge_unreliable: {
        open: "Change the judge",
        advice: "Change its criteria, test it on a run, or turn it off.",
      },
      duplicates: {
        open: "Open lessons",
        advice: "Select lessons with the same advice and group them.",
      },
      open_questions: {
        open: "Answer questions",
        advice: "In each, two lessons contradict each other. Decide which one is right.",
      },
      use_unreliable: {
        open: "Lesson settings",
        advice: "Let the agent report which lessons it used, or turn the inference off.",
      },
      grouping_unfinished: {
        open: "Lesson settings",
        advice: "If the number does not change within an hour, ask the operator to check the server log.",
      },
      one_memory_everywhere: {
        open: "Open lessons",
        advice: "If it is too general, edit it or disable it.",
      },
      keys_expiring: {
        open: "Open keys",
        advice: "Rotate the key and give the new one to the program before the old one expires.",
      },
    } satisfies Record<string, CheckTexts>,
  },
  onboarding: {
    label: "First lesson",
    about: "Your first lesson",
    dismiss: "Dismiss this checklist",
    intro:
      "Your agent runs. A person reviews the result. Reflect saves a lesson, and the next run of a similar task receives it. Try it once with these five steps.",
    done: "(done)",
    titles: {
      key: "Create a key",
      run: "Store a run",
      review: "Review the run",
      memory: "The first lesson",
      use: "See the lesson in use",
    } satisfies Record<Step, string>,
    key: {
      /** The label of the created key. */
      name: "first program",
      secret: "Key for the first program",
      aboutSecret:
        "It is filled in below until you leave this page. You can revoke it under Settings, API keys.",
      /** The action that the role does not allow. */
      action: "create keys",
      needed: "Your agent needs a key. It can store runs and reviews and read lessons, only in this project.",
      exists:
        "This project already has a key or runs. Create another key if you want to try the program below.",
      create: "Create a key",
      createAnother: "Create another key",
    },
    run: {
      instruction: "Save this as a file and run it, or add these lines to your agent.",
      program: "The program",
      waiting: "Waiting for the first run. It appears here as soon as it arrives.",
      stored: (runs: number) => `${counted(runs, "run", "runs")} stored.`,
      storedAt: (time: ReactNode) => <>A run was stored {time}.</>,
    },
    review: {
      instruction: (pass: ReactNode, fail: ReactNode) => (
        <>
          Was the result correct? Press {pass} for pass or {fail} for fail. If it failed, write what the agent
          should have done: “Ask for a photo before you refund” is useful, “wrong” is not.
        </>
      ),
      open: "Review the run",
      reviewed: (runs: number) => `${counted(runs, "run", "runs")} reviewed.`,
    },
    memory: {
      about: "Reflect writes a lesson from each reviewed run. It appears here.",
      queued: "The lesson is written 15 seconds after the verdict. Until then you can undo the verdict.",
      failed: (reason: string | null) =>
        `The lesson could not be written: ${reason ?? "no reason was recorded."}`,
      retry: "Open the run and retry",
    },
    use: {
      about: "The next run of a similar task receives the lesson automatically.",
      instruction: "See what your agent receives for a similar task, or run the program again.",
      open: "See the lesson in use",
    },
    next: {
      title: "Next steps",
      sendResult: "If a test decides whether a run passed, send the result with the run.",
      holdout: "Measure the effect of lessons with a holdout",
      judge: "Let a judge review the runs that you do not review",
      invite: "Invite a reviewer",
    },
  },
  story: {
    title: "How your agent learned",
    exampleTitle: "How your agent will learn",
    exampleBadge: "Example",
    aboutExample:
      "This example is invented. Your own appears here when a lesson from a failed run has helped a later run to pass.",
    failed: "A run failed",
    explained: "A reviewer explained why",
    passed: "A later run used the lesson and passed",
    lesson: "Lesson",
    openRun: "Open the run",
    openLesson: "Open the lesson",
    quote: (text: string) => `“${text}”`,
    similarTasks: "Similar tasks:",
    few: (passed: number, runs: number) => `${number(passed)} of ${number(runs)}`,
    before: (share: ReactNode, sample: ReactNode) => (
      <>
        {share} passed before the lesson {sample}
      </>
    ),
    after: (share: ReactNode, sample: ReactNode) => (
      <>
        {share} passed after it {sample}
      </>
    ),
    example: {
      failedTask: "Refund order 1182, the lamp arrived broken",
      failedLine: "I refunded 49.90 to the card.",
      feedback: "30.00 was paid by voucher. That part must go back to the voucher.",
      lesson: "Look up how the order was paid. Refund the part paid by voucher to the voucher.",
      passedTask: "Refund order 2047, wrong size",
      passedLine: "I refunded 19.90 to the card and 30.00 to the voucher.",
    },
  },
};
