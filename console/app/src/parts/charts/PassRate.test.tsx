// @vitest-environment jsdom
// The pass rate: a chart whose values can be read, or a number. Never an empty chart.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DayBars } from "./DayBars";
import { PassRate } from "./PassRate";

const day = (n: number, reviews: number, passed: number) => ({ day: `2026-11-0${n}`, reviews, passed });
const DAYS = [day(1, 20, 8), day(2, 25, 15), day(3, 28, 19)];

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("shows a number and what is missing if there are fewer than three periods", () => {
  const { container } = render(<PassRate days={[day(1, 28, 19)]} />);
  expect(container.textContent).toContain("68 % passed (19 of 28, 95 % CI 49–82 %)");
  expect(container.textContent).toContain("There is one so far.");
  expect(container.querySelector("svg")).toBeNull();
});

it("says so if nothing was reviewed", () => {
  const { container } = render(<PassRate days={[]} />);
  expect(container.textContent).toBe("No run was reviewed in the last 30 days.");
});

it("shows the value of a period to a pointer and to the keyboard", () => {
  const { container } = render(<PassRate days={DAYS} />);
  const plot = screen.getByRole("slider", { name: "Values of the chart" });
  plot.focus();
  expect(plot.getAttribute("aria-valuetext")).toBe("Nov 3: 68 % passed (19 of 28, 95 % CI 49–82 %)");
  fireEvent.keyDown(plot, { key: "Home" });
  expect(plot.getAttribute("aria-valuetext")).toMatch(/^Nov 1: 40 % passed/);
  fireEvent.keyDown(plot, { key: "ArrowRight" });
  expect(plot.getAttribute("aria-valuetext")).toMatch(/^Nov 2: 60 % passed/);
  fireEvent.pointerMove(plot, { clientX: 390 });
  expect(container.querySelector("figure p")?.textContent).toMatch(/^Nov 3: 68 % passed/);
});

it("draws one line with its band, and one thin bar per period", () => {
  const { container } = render(<PassRate days={DAYS} />);
  expect(container.querySelectorAll("path")).toHaveLength(2);
  expect(container.querySelectorAll("rect")).toHaveLength(DAYS.length);
});

it("shows the number of verdicts without a chart if there are fewer than three days", () => {
  const { container } = render(<DayBars days={[day(1, 28, 19)]} />);
  expect(container.textContent).toContain("28 reviewed runs");
  expect(container.querySelector("svg")).toBeNull();
});
