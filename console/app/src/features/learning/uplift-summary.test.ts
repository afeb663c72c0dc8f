// The headline of the comparison.
import { expect, it } from "vitest";
import type { Schemas } from "../../api/types";
import { headline, missingReviews, points, scaleOf } from "./uplift-summary";

const settled: Schemas["Uplift"] = {
  causal: true,
  with_memories: { runs: 540, reviewed: 500, passed: 375, pass_rate: 0.75 },
  without_memories: { runs: 55, reviewed: 50, passed: 30, pass_rate: 0.6 },
  difference: { value: 0.15, low: 0.0199, high: 0.2928 },
  settled: true,
  more_held_out_reviews: 0,
  message: "Memories help.",
};
const open = { ...settled, settled: false, difference: { value: 0.15, low: -0.013, high: 0.33 } };

it("says that lessons help or hurt only when the interval excludes zero", () => {
  expect(headline(settled)).toBe("Lessons help");
  expect(headline({ ...settled, difference: { value: -0.2, low: -0.3, high: -0.1 } })).toBe("Lessons hurt");
  expect(headline(open)).toBe("Not enough data yet");
  expect(headline({ ...settled, difference: null })).toBe("Not enough data yet");
});

it("claims nothing without a holdout", () => {
  expect(headline({ ...settled, causal: false, settled: false })).toMatch(/^Unknown/);
});

it("writes points with a sign", () => {
  expect([0.15, -0.013, 0, -0.0001].map(points)).toEqual(["+15.0", "−1.3", "+0.0", "+0.0"]);
});

it("contains the whole interval and zero on its scale", () => {
  expect(scaleOf({ low: 0.0199, high: 0.2928 })).toEqual([-0.3, 0.3]);
  expect(scaleOf({ low: -0.01, high: 0.02 })).toEqual([-0.1, 0.1]);
  expect(scaleOf({ low: -1, high: 0.3 })).toEqual([-1, 1]);
});

it("says what is missing for a result", () => {
  expect(missingReviews(settled)).toBeNull();
  expect(missingReviews({ ...open, more_held_out_reviews: 22 })).toBe(
    "Review about 22 more runs without lessons to know.",
  );
  expect(missingReviews({ ...settled, difference: null })).toBe("Both groups need reviewed runs.");
});
