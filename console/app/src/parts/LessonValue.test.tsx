// @vitest-environment jsdom
// The value of a lesson on a page and in a row of a list.
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { LessonValue } from "./LessonValue";

afterEach(cleanup);

const memory = {
  reviews: 7,
  passes: 6,
  credit: 0.68,
  evidence: 7,
  credit_interval: [0.53, 0.83],
  utility: 0.75,
};

it("shows words first, and the numbers in a panel that is closed at first", () => {
  render(<LessonValue of={memory} />);
  expect(screen.getByText("Helps: 6 of 7 runs passed").className).toContain("text-pass");
  const panel = screen.getByRole("group");
  expect(panel.hasAttribute("open")).toBe(false);
  expect(panel.textContent).toContain("0.68 (95 % CI 0.53–0.83, n = 7)");
  expect(panel.textContent).toContain("Utility0.75");
});

it("has the same words and no panel in a row", () => {
  render(<LessonValue of={memory} row />);
  expect(screen.getByText("Helps: 6 of 7 runs passed").title).toBe("Helps: 6 of 7 runs passed");
  expect(screen.queryByRole("group")).toBeNull();
});
