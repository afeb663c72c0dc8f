import type { ReactNode } from "react";
import { counted, number } from "../../parts/time";

const runs = (n: number) => counted(n, "run", "runs");
const passed = (passes: number, reviews: number) => `${number(passes)} of ${runs(reviews)} passed`;

export const parts = {
  time: {
    justNow: "just now",
    duration: {
      seconds: (seconds: string) => `${seconds} s`,
      minutes: (minutes: number) => `${minutes} min`,
      hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
      days: (days: number, hours: number) => `${days} d ${hours} h`,
    },
  },
  size: {
    bytes: (n: number) => counted(n, "byte", "bytes"),
    kB: (size: string) => `${size} kB`,
    MB: (size: string) => `${size} MB`,
    GB: (size: string) => `${size} GB`,
  },
  copy: {
    copy: "Copy",
    copied: "Copied",
    announcement: "Copied.",
    blocked: "The browser does not allow copying. Select the text and copy it.",
  },
  filter: {
    label: "Filter",
    invalid: "(invalid)",
    remove: (term: string) => `Remove ${term}`,
  },
  json: {
    searchIn: (label: string) => `Search in ${label}`,
    placeholder: "Search names and values",
    found: (count: string) => `${count} found`,
    more: (next: number, total: number) => `${number(next)} more of ${number(total)}`,
    allCharacters: (count: number) => `all ${number(count)} characters`,
    copyPath: "Copy the path",
    copyPathOf: (path: string) => `Copy the path ${path}`,
    copyValue: "Copy the value",
    copyValueOf: (path: string) => `Copy the value of ${path}`,
    entries: (count: number) => counted(count, "entry", "entries"),
    fields: (count: number) => counted(count, "field", "fields"),
  },
  value: {
    unused: "Too early to tell: not used yet",
    early: (passes: number, reviews: number) => `Too early to tell: ${passed(passes, reviews)}`,
    none: (passes: number, reviews: number) => `No clear effect: ${passed(passes, reviews)}`,
    helps: (passes: number, reviews: number) => `Helps: ${passed(passes, reviews)}`,
    helpsMore: (passes: number, reviews: number) => `Helps: ${passed(passes, reviews)}, more than expected`,
    harms: (failed: number, reviews: number) => `Harms: ${number(failed)} of ${runs(reviews)} failed`,
    harmsFewer: (passes: number, reviews: number) => `Harms: ${passed(passes, reviews)}, fewer than expected`,
    details: "Details",
    /** Only read aloud, after `details`. */
    detailsOf: "of the value",
    usedBy: "Runs that used it",
    noneReviewed: "none reviewed yet",
    passRate: (rate: string, passes: number, reviews: number) =>
      `${rate} passed (${number(passes)} of ${number(reviews)})`,
    credit: "Credit",
    creditNumbers: (credit: string, interval: string, n: number) =>
      `${credit} (95 % CI ${interval}, n = ${number(n)})`,
    utility: "Utility",
    allCredits: "All credits",
    creditRange: (low: string, high: string, situations: number) =>
      `${low} to ${high} (${counted(situations, "situation", "situations")})`,
    explanation:
      "Credit compares the runs that used it with what was expected of them: 0.5 is no difference. It shows a correlation, not a cause. Utility is what ranks a memory in retrieval.",
  },
  markdown: {
    image: (address: string) => `image not loaded ${address}`,
    namedImage: (name: string, address: string) => `image not loaded: ${name} ${address}`,
    tooLong: (most: number) => `Shown as plain text: longer than ${number(most)} characters.`,
    tooDeep: (most: number) => `Shown as plain text: nested deeper than ${number(most)} levels.`,
  },
  outcome: { pass: "pass", fail: "fail", pending: "pending" },
  preview: { label: "Preview", open: "Open", move: "move", close: "Close" },
  runText: {
    showMore: (size: string) => `Show more (${size})`,
    showAll: (size: string) => `Show all (${size})`,
    loadRest: (size: string) => `Load the rest (${size} in total)`,
  },
  secret: { onlyOnce: "Shown only once." },
  snippet: {
    copyPip: "Copy for pip",
    copyUv: "Copy for uv",
    style: "Style of the program",
    forms: { "Context manager": "Context manager", Decorator: "Decorator", Explicit: "Explicit" },
    program: "Program",
    copy: "Copy the program",
  },
  source: { success: "from a success", failure: "from a failure" },
  /** Systems that report outcomes of runs, and reviews that come from them. */
  signals: {
    sources: {
      ci: "CI",
      tests: "Tests",
      user: "Users",
      ticket: "Tickets",
      merge: "Merges",
      evaluation: "Evaluations",
    },
    reviewer: (source: string) => `${source} (signal)`,
  },
  table: {
    selected: "Selected",
    selectAll: (loaded: number) => `Select all ${number(loaded)} loaded rows`,
    select: (row: string) => `Select ${row}`,
  },
  notifications: { label: "Notifications", close: "Close this notification" },
  chart: {
    values: "Values of the chart",
    hint: "Point at the chart, or focus it and press ← or →, to read a value.",
    data: "Data of the chart",
    showChart: "Show chart",
    showTable: "Show table",
    copyCsv: "Copy CSV",
    day: "Day (UTC)",
    days: "Days",
    reviewed: "Reviewed runs",
    passed: "Passed",
    failed: "Failed",
    rate: "Pass rate",
    interval: "95 % CI",
    /** The axis of the counts. */
    runs: "runs",
    range: (from: string, to: string) => `${from} to ${to}`,
    /** A value and its place. */
    at: (place: string, value: string) => `${place}: ${value}`,
    sample: (passes: number, n: number, interval: string) =>
      `${number(passes)} of ${number(n)}, 95 % CI ${interval}`,
    passRate: (rate: string, sample: string) => `${rate} passed (${sample})`,
    /** The rate is large, and the sample is grey. */
    passRateNode: (rate: ReactNode, sample: ReactNode) => (
      <>
        {rate} passed {sample}
      </>
    ),
    trend: {
      one: (rate: string, days: string) => `${rate}, ${days}.`,
      before: (rate: string, sample: string, days: string) => `${rate} (${sample}), ${days}`,
      better: (now: string, before: string) => `Better: ${now} At first: ${before}.`,
      worse: (now: string, before: string) => `Worse: ${now} At first: ${before}.`,
      unclear: (now: string, before: string) => `No clear change: ${now} At first: ${before}.`,
    },
    noReviews: "No run was reviewed in the last 30 days.",
    fewPeriods: (least: number, reviews: number, there: number) => {
      const now = ["There is none yet.", "There is one so far.", "There are two so far."][there] ?? "";
      return `A chart needs ${least} periods with at least ${reviews} reviewed runs each, on different days. ${now}`;
    },
    fewDays: (least: number, there: number) =>
      `A chart needs reviews on ${least} days or more. There are reviews on ${counted(there, "day", "days")}.`,
    reviewedRuns: (count: ReactNode, n: number) => (
      <>
        {count} {n === 1 ? "reviewed run" : "reviewed runs"}
      </>
    ),
    dayValue: (day: string, reviews: number, passes: number) =>
      `${day}: ${counted(reviews, "reviewed run", "reviewed runs")}, ${number(passes)} passed`,
    daysSummary: (reviews: number, active: number, days: number, most: number) =>
      `${runs(reviews)} reviewed on ${number(active)} of ${number(days)} days, at most ${number(most)} on one day.`,
  },
};
