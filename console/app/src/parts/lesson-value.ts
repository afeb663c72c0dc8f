// The value of a lesson: whether the runs that used it went better than expected.
import { t } from "../texts";
import { fixed, percent } from "./time";

type Tried = {
  /** The reviewed runs that used it, and how many of them passed. */
  reviews: number;
  passes: number;
  /** 0.5 means: as expected. */
  credit: number;
  /** The number of reviews behind the credit. */
  evidence: number;
  /** With 95 % confidence. */
  credit_interval: readonly number[];
};
/** The numbers of one situation, which the API calls a memory. */
export type MemoryNumbers = Tried & { utility: number };
/** The numbers of a lesson: those of its situation with the most reviews, and the lowest and highest credit of all. */
export type LessonNumbers = Tried & { credit_range: readonly number[]; situations: number };
export type Numbers = MemoryNumbers | LessonNumbers;

export type Effect = "helps" | "harms" | "none" | "unknown";

const AS_EXPECTED = 0.5;
/** From this number of reviews on, the interval of a credit becomes no narrower. */
const MOST_EVIDENCE = 16;

/** What is known about the effect, and the words for it. */
export function valueOf(of: Numbers): { effect: Effect; words: string } {
  const { value: texts } = t.parts;
  const [low = 0, high = 1] = of.credit_interval;
  const { reviews, passes } = of;
  const failed = reviews - passes;
  if (reviews === 0) return { effect: "unknown", words: texts.unused };
  if (low > AS_EXPECTED) {
    const words = passes < failed ? texts.helpsMore(passes, reviews) : texts.helps(passes, reviews);
    return { effect: "helps", words };
  }
  if (high < AS_EXPECTED) {
    const words = passes < failed ? texts.harms(failed, reviews) : texts.harmsFewer(passes, reviews);
    return { effect: "harms", words };
  }
  return of.evidence < MOST_EVIDENCE
    ? { effect: "unknown", words: texts.early(passes, reviews) }
    : { effect: "none", words: texts.none(passes, reviews) };
}

/** The numbers behind the words, each with its name. */
export function detailsOf(of: Numbers): { name: string; text: string }[] {
  const { value: texts } = t.parts;
  const { reviews, passes, credit, evidence } = of;
  const used =
    reviews === 0 ? texts.noneReviewed : texts.passRate(percent(passes / reviews), passes, reviews);
  const interval = of.credit_interval.map((end) => fixed(end)).join("–");
  const rows = [
    { name: texts.usedBy, text: used },
    { name: texts.credit, text: texts.creditNumbers(fixed(credit), interval, evidence) },
  ];
  return "utility" in of
    ? [...rows, { name: texts.utility, text: fixed(of.utility) }]
    : [...rows, ...creditRange(of)];
}

/** Not shown if all situations have the same credit. */
function creditRange({ credit_range, situations }: LessonNumbers): { name: string; text: string }[] {
  const { value: texts } = t.parts;
  const [low = "", high = ""] = credit_range.map((end) => fixed(end));
  if (low === high) return [];
  return [{ name: texts.allCredits, text: texts.creditRange(low, high, situations) }];
}
