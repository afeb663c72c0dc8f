// The words for the value of a lesson.
import { expect, it } from "vitest";
import { detailsOf, type LessonNumbers, type MemoryNumbers, valueOf } from "./lesson-value";

const memory = (passes: number, reviews: number, interval: [number, number]): MemoryNumbers => ({
  reviews,
  passes,
  credit: (interval[0] + interval[1]) / 2,
  evidence: reviews,
  credit_interval: interval,
  utility: 0.75,
});
const words = (...given: Parameters<typeof memory>) => valueOf(memory(...given)).words;

it("says that a lesson helps or harms only if the interval excludes 0.5", () => {
  expect(words(6, 7, [0.53, 0.83])).toBe("Helps: 6 of 7 runs passed");
  expect(words(2, 7, [0.2, 0.49])).toBe("Harms: 5 of 7 runs failed");
  expect(words(6, 7, [0.45, 0.75])).toBe("Too early to tell: 6 of 7 runs passed");
  expect(words(1, 1, [0.4, 0.9])).toBe("Too early to tell: 1 of 1 run passed");
  expect(words(0, 0, [0.23, 0.77])).toBe("Too early to tell: not used yet");
});

it("says that there is no clear effect if more reviews would not narrow the interval", () => {
  expect(words(11, 20, [0.41, 0.63])).toBe("No clear effect: 11 of 20 runs passed");
  expect(valueOf(memory(11, 20, [0.41, 0.63])).effect).toBe("none");
});

it("explains a pass rate that seems to contradict the effect", () => {
  expect(words(2, 9, [0.55, 0.8])).toBe("Helps: 2 of 9 runs passed, more than expected");
  expect(words(6, 9, [0.2, 0.45])).toBe("Harms: 6 of 9 runs passed, fewer than expected");
});

it("shows the value of the most tried situation of a lesson, and the credits of all in the details", () => {
  const lesson = (low: number, high: number): LessonNumbers => ({
    reviews: 20,
    passes: 17,
    credit: 0.7,
    evidence: 20,
    credit_interval: [0.59, 0.81],
    credit_range: [low, high],
    situations: 3,
  });
  expect(valueOf(lesson(0.5, 0.7)).words).toBe("Helps: 17 of 20 runs passed");
  const rows = [
    { name: "Runs that used it", text: "85 % passed (17 of 20)" },
    { name: "Credit", text: "0.70 (95 % CI 0.59–0.81, n = 20)" },
  ];
  expect(detailsOf(lesson(0.5, 0.7))).toEqual([
    ...rows,
    { name: "All credits", text: "0.50 to 0.70 (3 situations)" },
  ]);
  expect(detailsOf(lesson(0.7, 0.7))).toEqual(rows);
});

it("shows every number with its count in the details", () => {
  expect(detailsOf(memory(6, 7, [0.53, 0.83]))).toEqual([
    { name: "Runs that used it", text: "86 % passed (6 of 7)" },
    { name: "Credit", text: "0.68 (95 % CI 0.53–0.83, n = 7)" },
    { name: "Utility", text: "0.75" },
  ]);
  expect(detailsOf(memory(0, 0, [0.23, 0.77]))[0]?.text).toBe("none reviewed yet");
});
