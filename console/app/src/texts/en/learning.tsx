import type { ReactNode } from "react";
import type { Schemas } from "../../api/types";
import { counted, fixed, number, percent } from "../../parts/time";

type Judge = Schemas["JudgeStatus"];

export const learning = {
  notLoaded: "The numbers could not be loaded",
  sample: (reviewed: number) => `${counted(reviewed, "reviewed run", "reviewed runs")} in the last 30 days`,
  questions: {
    help: "Do lessons help?",
    better: "Is the agent getting better?",
    reviewed: "How much is reviewed?",
    receive: "Do runs receive lessons?",
    judge: "Can the judge be trusted?",
  },
  aboutRate: (period: number, reviewed: number, runs: number) =>
    `By the day of the review; days are combined until a period has ${number(period)} reviewed runs. Only reviewed runs count: ${number(reviewed)} of ${number(runs)} in the last 7 days.`,
  openJudge: "Open the judge settings",
  tooFew: {
    title: (reviewed: number, needed: number) => `${number(reviewed)} of ${number(needed)} reviewed runs`,
    about: (missing: number) =>
      `Review ${counted(missing, "more run", "more runs")} to see whether your agent improves. With fewer, the result says little: 7 of 10 passed means anything from 40 to 89 %. Reviews of the last 30 days count.`,
    progress: "Reviewed runs",
    review: (pending: number) => `Review ${counted(pending, "pending run", "pending runs")}`,
    nothingPending: "No run is waiting for review. Run your agent again, or send the result with each run.",
  },
  uplift: {
    help: "Lessons help",
    hurt: "Lessons hurt",
    unknown: "Unknown without a holdout",
    notEnough: "Not enough data yet",
    needsBoth: "Both groups need reviewed runs.",
    needsMore: "Review more runs of both groups.",
    needsHeldOut: (runs: number) =>
      `Review about ${counted(runs, "more run", "more runs")} without lessons to know.`,
    difference: (value: string, low: string, high: string, causal: boolean) =>
      `${value} points (95 % CI ${low} to ${high}${causal ? "" : "; a correlation, not a cause"})`,
    chart: (value: string, low: string, high: string) =>
      `Difference of pass rates: ${value} points, 95 % CI ${low} to ${high}. Zero means no difference.`,
    endHurt: (points: string) => `${points} lessons hurt`,
    endHelp: (points: string) => `lessons help ${points}`,
    table: "Runs with and without lessons",
    columns: {
      group: "Group",
      runs: "Runs",
      reviewed: "Reviewed",
      passed: "Passed",
      rate: "Pass rate",
    },
    withLessons: "With lessons",
    withoutLessons: "Without lessons",
    heldOut: "Without lessons, for comparison",
    aboutHoldout: (link: ReactNode) => (
      <>To learn whether lessons are the cause, hold them back from a random share of the runs. {link}</>
    ),
    setUpHoldout: "Set up a holdout",
  },
  use: {
    none: "No run was stored in the last 7 days.",
    share: (share: ReactNode, sample: ReactNode) => (
      <>
        {share} of the runs of the last 7 days {sample}
      </>
    ),
    chart: (share: string, sample: string) => `${share} of the runs received a lesson (${sample})`,
    about:
      "A run receives none if no lesson fits its task, if it is held out for comparison, or if the agent does not ask for lessons or does not report them.",
  },
  lists: {
    helpful: "Most helpful lessons",
    noneHelpful: "No lesson has helped a reviewed run yet.",
    harmful: "Least helpful lessons",
    noneHarmful: "No lesson has enough reviewed runs that went worse than expected.",
    about: "Judged by the reviewed runs that used them.",
  },
  judge: {
    unknown: "Unknown so far: no run has both a hidden verdict of the judge and a review by a person.",
    agreement: (share: string, sample: string) =>
      `The judge and people agree on ${share} of the runs (${sample}).`,
    chart: (share: string, sample: string) => `Agreement ${share} (${sample})`,
    right: (of: Judge["agreement"]) =>
      `It is right on ${number(of.passes_right)} of ${number(of.passes)} runs that people passed, and on ${number(of.fails_right)} of ${number(of.fails)} that they failed.`,
    details: "Details",
    informedness: (of: Judge["agreement"]) =>
      `Informedness ${fixed(of.informedness)} (0 is chance, 1 is perfect). A review by the judge moves the utility of a lesson ${percent(of.step)} of the way to its verdict.`,
    lastWeek: (week: Judge["last_week"]) =>
      `Last 7 days: ${counted(week.judged, "run", "runs")} judged. ${number(week.passed)} passed, ${number(week.failed)} failed, ${number(week.unclear)} unclear; ${number(week.blind)} hidden for comparison. ${number(week.applied)} became reviews.`,
  },
};
