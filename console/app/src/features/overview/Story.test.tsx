// @vitest-environment jsdom
// The story of a lesson on the overview.
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { exampleStory, type Story as Facts } from "./story-query";
import { Story } from "./Story";

const EXAMPLE = exampleStory();
const FACTS: Facts = {
  ...EXAMPLE,
  failed: { ...EXAMPLE.failed, trace_id: "failed-run", step: 4, at: "2026-11-01T12:00:00Z" },
  lesson: { ...EXAMPLE.lesson, lesson_id: "lesson-1", reviewer: "member:cleo" },
  passed: { ...EXAMPLE.passed, trace_id: "later-run", at: "2026-11-09T12:00:00Z" },
  before: { reviewed: 22, passed: 8 },
  after: { reviewed: 28, passed: 19 },
};

afterEach(cleanup);

async function show(story: Facts | null): Promise<HTMLElement> {
  const routeTree = createRootRoute({ component: () => <Story project="desk" story={story} /> });
  const router = createRouter({ routeTree, history: createMemoryHistory() });
  render(<RouterProvider router={router as never} />);
  return screen.findByRole("region");
}

it("links the failed run, the lesson and the later run, and compares similar tasks", async () => {
  const region = await show(FACTS);
  const links = screen.getAllByRole("link").map((link) => link.getAttribute("href"));
  expect(links).toEqual([
    "/p/desk/traces/failed-run?step=4",
    "/p/desk/lessons/lesson-1",
    "/p/desk/traces/later-run",
  ]);
  expect(region.textContent).toContain("cleo");
  expect(region.textContent).toContain("36 % passed before the lesson (8 of 22, 95 % CI 20–57 %)");
  expect(region.textContent).toContain("68 % passed after it (19 of 28, 95 % CI 49–82 %)");
  expect(screen.queryByText("Example")).toBeNull();
});

it("shows a labelled example without links if there is no story yet", async () => {
  const region = await show(null);
  expect(screen.getByText("Example")).not.toBeNull();
  expect(screen.queryAllByRole("link")).toEqual([]);
  expect(region.textContent).toContain("This example is invented.");
});

it("names the source if a signal explained the failure", async () => {
  const region = await show({ ...FACTS, lesson: { ...FACTS.lesson, reviewer: "signal:ci" } });
  expect(region.textContent).toContain("CI (signal)");
});
