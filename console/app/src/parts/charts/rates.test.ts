// Rates and their intervals.
import { expect, it } from "vitest";
import { bins, describeTrend, everyDay, passRateText, sum, wilson } from "./rates";

const day = (n: number, reviews: number, passed: number) => ({
  day: `2026-11-${String(n).padStart(2, "0")}`,
  reviews,
  passed,
});

it("computes the Wilson interval, also where the normal approximation fails", () => {
  // Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 29 of 29.
  const published: [number, number, number, number][] = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [29, 29, 0.883, 1],
  ];
  for (const [passed, n, low, high] of published) {
    const range = wilson(passed, n);
    expect(range.low).toBeCloseTo(low, 4);
    expect(range.high).toBeCloseTo(high, 4);
  }
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
});

it("combines days until there are enough, and loses no review", () => {
  const days = [day(1, 12, 6), day(2, 9, 9), day(5, 30, 10), day(6, 3, 3)];
  const made = bins(days, 20);
  expect(made.map((bin) => [bin.from, bin.to, bin.reviews, bin.passed])).toEqual([
    ["2026-11-01", "2026-11-02", 21, 15],
    ["2026-11-05", "2026-11-06", 33, 13],
  ]);
  expect(made.reduce((total, bin) => total + bin.reviews, 0)).toBe(sum(days));
});

it("creates no bin from too few", () => {
  expect(bins([day(1, 10, 5), day(2, 9, 1)], 20)).toEqual([]);
});

it("fills in days without reviews, across the end of a month", () => {
  const days = everyDay([
    { day: "2026-10-30", reviews: 1, passed: 1 },
    { day: "2026-11-02", reviews: 2, passed: 0 },
  ]);
  expect(days.map((one) => [one.day, one.reviews])).toEqual([
    ["2026-10-30", 1],
    ["2026-10-31", 0],
    ["2026-11-01", 0],
    ["2026-11-02", 2],
  ]);
});

it("reports better or worse only if the interval of the difference excludes zero", () => {
  const low = day(1, 100, 40);
  const near = day(2, 100, 45);
  const high = day(3, 100, 80);
  expect(describeTrend(bins([low, near]))).toMatch(/^No clear change/);
  expect(describeTrend(bins([low, high]))).toMatch(/^Better: 80 % passed \(80 of 100/);
  expect(describeTrend(bins([high, low]))).toMatch(/^Worse: 40 % passed \(40 of 100/);
  // The intervals of 14 of 30 and of 24 of 30 overlap; that of their difference is +9 to +53 points.
  expect(describeTrend(bins([day(1, 30, 14), day(2, 30, 24)]))).toMatch(/^Better: 80 %/);
  expect(describeTrend(bins([day(1, 30, 14), day(2, 30, 20)]))).toMatch(/^No clear change/);
  expect(describeTrend(bins([low]))).toMatch(/^40 % passed \(40 of 100/);
});

it("writes a rate with its sample and its interval", () => {
  expect(passRateText(19, 28)).toBe("68 % passed (19 of 28, 95 % CI 49–82 %)");
  expect(passRateText(0, 20)).toBe("0 % passed (0 of 20, 95 % CI 0–16 %)");
});
