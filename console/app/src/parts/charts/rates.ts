// Computes rates with confidence intervals from counts.
import { t } from "../../texts";
import { dayLabel, percent } from "../time";

export type Day = { day: string; reviews: number; passed: number };
export type Range = { low: number; high: number };
/** Consecutive days combined. */
export type Bin = { from: string; to: string; reviews: number; passed: number; rate: number } & Range;

/** A rate of fewer verdicts is noise. */
export const MIN_REVIEWS = 20;
/** Fewer points show no trend. */
export const MIN_PERIODS = 3;
const Z = 1.959964;

/** The 95 % Wilson interval. */
export function wilson(passed: number, n: number): Range {
  if (n === 0) return { low: 0, high: 1 };
  const rate = passed / n;
  const z2 = Z * Z;
  const middle = (rate + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Combines days, oldest first, until each bin has enough verdicts. The remaining days join the last bin. */
export function bins(days: readonly Day[], least = MIN_REVIEWS): Bin[] {
  const groups: Day[][] = [];
  let open: Day[] = [];
  for (const day of days) {
    open.push(day);
    if (sum(open) >= least) {
      groups.push(open);
      open = [];
    }
  }
  if (open.length > 0 && groups.length > 0) groups.at(-1)?.push(...open);
  return groups.map(asBin);
}

/** The number of verdicts of some days. */
export function sum(days: readonly Day[]): number {
  return days.reduce((total, day) => total + day.reviews, 0);
}

function asBin(days: readonly Day[]): Bin {
  const reviews = sum(days);
  const passed = days.reduce((total, day) => total + day.passed, 0);
  return {
    from: days[0]?.day ?? "",
    to: days.at(-1)?.day ?? "",
    reviews,
    passed,
    rate: passed / reviews,
    ...wilson(passed, reviews),
  };
}

/** Every day from the first to the last, including days without a verdict. */
export function everyDay(days: readonly Day[]): Day[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const known = new Map(days.map((day) => [day.day, day]));
  const all: Day[] = [];
  for (let at = dayNumber(first.day); at <= dayNumber(last.day); at += 1) {
    const day = dayOf(at);
    all.push(known.get(day) ?? { day, reviews: 0, passed: 0 });
  }
  return all;
}

const DAY_MS = 86_400_000;

/** Days since 1970, for a linear scale. */
export const dayNumber = (day: string) => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
const dayOf = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, "2026-11-15".length);

/** One day, or the first and the last. */
export function spanLabel(bin: { from: string; to: string }): string {
  const from = dayLabel(bin.from);
  return bin.from === bin.to ? from : t.parts.chart.range(from, dayLabel(bin.to));
}

/** For example `68 % passed (19 of 28, 95 % CI 49–82 %)`. */
export function passRateText(passed: number, n: number): string {
  return t.parts.chart.passRate(percent(n === 0 ? 0 : passed / n), sampleText(passed, n));
}

/** For example `19 of 28, 95 % CI 49–82 %`. */
export function sampleText(passed: number, n: number): string {
  const { low, high } = wilson(passed, n);
  return t.parts.chart.sample(passed, n, `${percent(low).replace(" %", "")}–${percent(high)}`);
}

/** The 95 % interval of a difference of two rates, from the intervals of both (Newcombe). */
function difference(from: Bin, to: Bin): Range {
  const change = to.rate - from.rate;
  return {
    low: change - Math.hypot(to.rate - to.low, from.high - from.rate),
    high: change + Math.hypot(to.high - to.rate, from.rate - from.low),
  };
}

/** Summarizes the line. If the interval of the difference contains zero, it is not called a change. */
export function describeTrend(made: readonly Bin[]): string {
  const { trend } = t.parts.chart;
  const [first, last] = [made[0], made.at(-1)];
  if (first === undefined || last === undefined) return "";
  const now = trend.one(passRateText(last.passed, last.reviews), spanLabel(last));
  if (first === last) return now;
  const before = trend.before(percent(first.rate), sampleText(first.passed, first.reviews), spanLabel(first));
  const { low, high } = difference(first, last);
  if (low > 0) return trend.better(now, before);
  if (high < 0) return trend.worse(now, before);
  return trend.unclear(now, before);
}
