// From a phone to a desktop, no page is wider than the screen.
import type { Page } from "@playwright/test";
import { waitUntilIdle } from "../support/idle";
import type { Project } from "../support/project";
import { expect, test } from "../support/test";

const WIDTHS = [390, 768, 1024, 1440];
const PHONE = { width: 390, height: 844 };
/** A word without a place to break. */
const LONG = `https://example.com/${"orders/".repeat(20)}`;

for (const width of WIDTHS) {
  test(`pages fit a screen of ${width} pixels`, async ({ page, project }) => {
    await page.setViewportSize({ width, height: 844 });
    const { trace, memory } = await fixture(project);
    const pages: Record<string, { path: string; ready: () => Promise<unknown> }> = {
      overview: { path: "", ready: () => page.getByRole("heading", { level: 1 }).waitFor() },
      review: { path: "/review", ready: () => page.getByRole("region", { name: "Run" }).waitFor() },
      traces: { path: "/traces", ready: () => page.getByRole("checkbox").first().waitFor() },
      trace: { path: `/traces/${trace}`, ready: () => page.getByRole("article").first().waitFor() },
      steps: {
        path: `/traces/${trace}?view=steps`,
        ready: () => page.getByRole("region", { name: "Step 1" }).waitFor(),
      },
      memories: { path: "/memories", ready: () => page.getByRole("checkbox").first().waitFor() },
      situations: {
        path: "/memories?list=situations",
        ready: () => page.getByRole("checkbox").first().waitFor(),
      },
      memory: {
        path: `/memories/${memory}`,
        ready: () => page.getByRole("heading", { name: "Remove", exact: true }).waitFor(),
      },
      lesson: {
        path: `/lessons/${memory}`,
        ready: () => page.getByRole("table", { name: "Situations" }).waitFor(),
      },
      retrieve: {
        path: "/retrieve?task=Book%20a%20meeting",
        ready: () => page.getByRole("complementary", { name: "Prompt text" }).waitFor(),
      },
      signals: {
        path: "/settings/signals",
        ready: async () => {
          await page.getByRole("button", { name: "Change the rule of Merges" }).click();
          await page.getByLabel("Wait after a pass, in hours").waitFor();
        },
      },
      settings: { path: "/settings/project", ready: () => page.getByRole("heading", { level: 1 }).waitFor() },
    };
    const wide: string[] = [];
    for (const [name, { path, ready }] of Object.entries(pages)) {
      await page.goto(project.page(path));
      await ready();
      await waitUntilIdle(page);
      const pixels = await excess(page);
      if (pixels > 1) wide.push(`${name} by ${pixels} px`);
    }
    expect(wide).toEqual([]);
  });
}

test("a run on a phone: its details open above the run, and its steps are readable", async ({
  page,
  project,
}) => {
  const { trace } = await fixture(project);
  await page.setViewportSize(PHONE);
  await page.goto(project.page(`/traces/${trace}`));
  await page.getByRole("article").first().waitFor();
  const about = page.getByRole("complementary", { name: "About this run" });
  const used = about.getByRole("heading", { name: "Memories used (1)" });
  await expect(used).toBeHidden();
  const step = await page.getByRole("article").first().boundingBox();
  expect(step?.width ?? 0).toBeGreaterThan(320);
  await about.getByRole("button", { name: /^About this run/ }).click();
  await expect(used).toBeVisible();
  await expect(about.getByRole("button", { name: "Pass", exact: true })).toBeVisible();
  await expect(
    about.getByText(/^Counts in .*, unless another signal contradicts it before\.$/),
  ).toBeVisible();
  expect(await excess(page)).toBeLessThanOrEqual(1);
});

test("lessons on a phone: a row has the lesson, its situation and its value, and is tall enough to tap", async ({
  page,
  project,
}) => {
  await project.remember("Book a meeting", "Dates are UTC.");
  await page.setViewportSize(PHONE);
  await page.goto(project.page("/memories"));
  const row = page.getByRole("row", { name: /Dates are UTC\./ });
  await expect(row).toContainText("Book a meeting");
  await expect(row).toContainText("Too early to tell: not used yet");
  expect((await row.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(44);
  await row.getByRole("checkbox").check();
  await expect(page.getByText("1 selected")).toBeVisible();
});

/** How many pixels the page is wider than the screen. */
async function excess(page: Page): Promise<number> {
  return page.evaluate(() => {
    const wider = (place: Element | null) => (place === null ? 0 : place.scrollWidth - place.clientWidth);
    return Math.max(wider(document.documentElement), wider(document.querySelector("main")));
  });
}

async function fixture(project: Project): Promise<{ trace: string; memory: string }> {
  const memory = await project.remember("Book a meeting", `Dates are UTC, see ${LONG}`);
  await project.send({ task: "Book it", retrieved_memory_ids: [memory], review: { result: "pass" } });
  const call = { name: "find", arguments: JSON.stringify({ address: LONG, day: 1 }) };
  const trace = await project.send({
    task: `Book a meeting and open ${LONG}`,
    model: "large",
    keys: { commit: "4f2a9c1".repeat(20) },
    retrieved_memory_ids: [memory],
    trajectory: [
      { role: "system", content: "You are an assistant. ".repeat(20) },
      { role: "user", content: `Book a meeting and open ${LONG}` },
      { role: "assistant", content: "I look.", tool_calls: [{ id: "a", type: "function", function: call }] },
      { role: "tool", tool_call_id: "a", content: `{"error": "no such day", "address": "${LONG}"}` },
      { role: "assistant", content: "# Booked\n\n| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |" },
    ],
  });
  await project.showAllSignals();
  await project.signal("merge", { trace_id: trace, outcome: "pass", comment: `See ${LONG}`, url: LONG });
  await project.signal("a-source-with-quite-a-long-name", { trace_id: trace, score: 0.5 });
  return { trace, memory };
}
