import type { Schemas } from "../../../api/types";
import { counted, duration, fixed, number, percent } from "../../../parts/time";

type Source = Schemas["SourceValue"];

const wait = (seconds: number) => (seconds === 0 ? "at once" : `after ${duration(seconds)}`);

export const signals = {
  title: "Signals",
  about: "Outcomes of runs that other systems report",
  changeRules: "change these rules",
  sources: "Sources",
  sourcesAbout:
    "Signals become reviews by the rule of their source. The less a source agrees with people, the less its reviews count. Your own review always replaces them.",
  notCounted: "not counted",
  stopped: "stopped: agrees with people too rarely",
  change: "Change",
  changeRule: (source: string) => `Change the rule of ${source}`,
  rule: (rule: Source["rule"]) =>
    `A pass counts ${wait(rule.wait_pass_seconds)}, a fail ${wait(rule.wait_fail_seconds)}. Precedence ${number(rule.precedence)}. A score from ${fixed(rule.pass_from)} is a pass, below ${fixed(rule.fail_below)} a fail.`,
  unknown: "Agreement with people: unknown so far. No run has both a signal and an independent review.",
  agreement: (share: string, sample: string) =>
    `The source and people agree on ${share} of the runs (${sample}).`,
  chart: (source: string, share: string, sample: string) => `${source}: agreement ${share} (${sample})`,
  learningRate: (step: number) =>
    `A review by this source moves the utility of a lesson ${percent(step)} of the way to its result.`,
  details: "Details",
  right: (of: Source["agreement"]) =>
    `It is right on ${number(of.passes_right)} of ${number(of.passes)} runs that people passed, and on ${number(of.fails_right)} of ${number(of.fails)} that they failed. Informedness ${fixed(of.informedness)} (0 is chance, 1 is perfect).`,
  lastWeek: (week: Source["last_week"]) =>
    `Last 7 days: ${counted(week.signals, "signal", "signals")}, ${number(week.waiting)} without a run so far. ${counted(week.reviews, "review counts", "reviews count")}.`,
  form: {
    counts: "Make reviews of these signals",
    countsHint: "If not, they are stored and shown only.",
    waitPass: {
      name: "Wait after a pass",
      label: "Wait after a pass, in hours",
      hint: "Time for a signal that contradicts it, such as a revert.",
    },
    waitFail: {
      name: "Wait after a fail",
      label: "Wait after a fail, in hours",
      hint: "Time for a signal that contradicts it, such as a repeated build.",
    },
    precedence: {
      name: "Precedence",
      label: "Precedence, 0 to 100",
      hint: "If sources contradict each other, the higher one wins; of equal ones, the later signal.",
    },
    passFrom: {
      name: "Score of a pass",
      label: "Score of a pass, at least",
      hint: "Only for sources that report scores from 0 to 1.",
    },
    failBelow: {
      name: "Score of a fail",
      label: "Score of a fail, below",
      hint: "A score between both is no result.",
    },
    wholePrecedence: "Precedence: enter a whole number.",
    order: "The score of a fail must not be higher than the score of a pass.",
    usual: "Use the usual rule",
  },
  add: {
    title: "Another source",
    about: "Other sources count with the usual rule. Add one to change its rule before it reports.",
    name: "Name of the source",
    nameHint:
      "As in its signals: up to 40 of the characters a-z, 0-9, “_”, “-” and “.”, the first one a letter.",
    exists: "This source is listed already.",
    invalid: "This is not the name of a source.",
    submit: "Add source",
  },
  project: {
    title: "All sources",
    blind: {
      name: "Withheld signals",
      label: "Withheld signals, in percent",
      hint: "The share of runs whose signals become no review and are hidden until a person has reviewed the run. They measure the agreement.",
    },
    matching: "Which runs a key means",
    matchings: {
      latest: { label: "The latest run", hint: "that began before the signal" },
      all: { label: "All runs", hint: "that began in the 30 days before it" },
      only: { label: "The only run", hint: "none if several runs declare the key" },
    },
  },
};
