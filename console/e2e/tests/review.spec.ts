// The review page: the run in rows, the verdict by mouse or touch, and what a verdict did.
import type { Locator, Page } from "@playwright/test";
import { violations } from "../support/axe";
import { waitUntilIdle } from "../support/idle";
import type { Message, Project } from "../support/project";
import { expectNotification, ReviewPage } from "../support/review-page";
import { expect, test } from "../support/test";

const OLDEST = "?order=oldest";
const SYSTEM = `You are a support agent. ${"Be polite. ".repeat(40)}`;
const LONG_RESULT = `The order was paid by card. ${"One lamp, 24.00. ".repeat(200)}`;

const call = (id: string, name: string, args: object) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});
const RUN: Message[] = [
  { role: "system", content: SYSTEM },
  { role: "user", content: "Refund order 1182" },
  { role: "assistant", content: "I look.", tool_calls: [call("a", "lookup_order", { id: 1182 })] },
  { role: "tool", tool_call_id: "a", content: LONG_RESULT },
  { role: "assistant", content: "I refund.", tool_calls: [call("b", "refund", { amount: 240 })] },
  { role: "tool", tool_call_id: "b", content: '{"error": "amount too high"}' },
  { role: "assistant", content: "I refunded 240.00." },
];
const LARGE = { task: "Refund order 1182", trajectory: RUN, final_response: "I refunded 240.00." };

test("the run is shown in rows: calls with results, errors, folded texts, the answer last", async ({
  page,
  project,
}) => {
  await project.send(LARGE);
  const reviewPage = await ReviewPage.open(page, project);
  const rows = reviewPage.steps;
  await expect(rows).toHaveText([
    /System prompt/,
    /I look\./,
    /lookup_order.*1182.*→.*The order was paid by card\./,
    /I refund\./,
    /refund.*240.*→.*amount too high.*failed/,
  ]);
  const last = await rows.last().boundingBox();
  const answer = await reviewPage.run.getByRole("region", { name: "Final answer" }).boundingBox();
  expect(answer?.y ?? 0).toBeGreaterThanOrEqual((last?.y ?? Infinity) + (last?.height ?? 0));

  await expect(reviewPage.run.getByText("Be polite.")).toBeHidden();
  await rows
    .first()
    .getByRole("button", { name: /bytes, show/ })
    .click();
  await expect(reviewPage.run.getByText("Be polite.")).toBeVisible();
  await rows.nth(2).getByRole("button", { name: "3.3 kB, show the text of step 4" }).click();
  await expect(rows.nth(2).getByText("result", { exact: true })).toBeVisible();

  // The keys of the steps.
  await page.keyboard.press("e");
  await expect(rows.nth(4).getByRole("button").first()).toHaveAttribute("aria-current", "step");
  await page.keyboard.press("[");
  await expect(rows.nth(3).getByRole("button").first()).toHaveAttribute("aria-current", "step");
  // The whole run, by mouse.
  await reviewPage.run.getByRole("button", { name: "Whole run" }).click();
  await page.getByRole("article").first().waitFor();
  await page.getByRole("button", { name: "Back to the summary" }).click();
  await reviewPage.shows("Refund order 1182");
});

test("with the mouse alone, a fail is sent with and without feedback", async ({ page, project }) => {
  const ids = await project.sendMany(3, (n) => ({ task: `Task ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, OLDEST);
  await reviewPage.button("Fail").click();
  await reviewPage.button("Send").click();
  await expectNotification(page, "Describe what was wrong");
  await page.getByLabel("What was wrong?").fill("Look the price up first.");
  await reviewPage.button("Send").click();
  await reviewPage.shows("Task 2");
  await reviewPage.ready();
  await reviewPage.button("Fail").click();
  await reviewPage.button("Look the price up first.").click();
  await reviewPage.button("Send").click();
  await reviewPage.shows("Task 3");
  await reviewPage.ready();
  await reviewPage.button("Fail").click();
  await reviewPage.button("Send without feedback").click();
  await reviewPage.hasDone(3);
  await reviewPage.sent();
  const feedback = async (id: string) => (await project.trace(id)).review;
  const first = "Look the price up first.";
  expect(await feedback(ids[0] ?? "")).toMatchObject({ result: "fail", feedback_text: first });
  expect(await feedback(ids[1] ?? "")).toMatchObject({ result: "fail", feedback_text: first });
  expect(await feedback(ids[2] ?? "")).toMatchObject({ result: "fail", feedback_text: null });
});

test("after a skip and a deferral, every page shows the same number of waiting runs", async ({
  page,
  project,
}) => {
  await project.sendMany(5, (n) => ({ task: `Task ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, OLDEST);
  await page.keyboard.press("s");
  await reviewPage.shows("Task 2");
  await page.keyboard.press("d");
  await page.keyboard.press("t");
  await reviewPage.shows("Task 3");
  await reviewPage.sent();
  await expect(page.getByText("0 done, 4 pending")).toBeVisible();
  const main = page.getByRole("navigation", { name: "Main" });
  await expect(main.getByRole("link", { name: /^Review/ })).toContainText("4 pending");
  await main.getByRole("button", { name: /Project/ }).click();
  await expect(page.getByRole("option").filter({ hasText: project.slug })).toContainText("4 pending");
  await page.keyboard.press("Escape");
  await main.getByRole("link", { name: "Overview" }).click();
  await page
    .getByRole("button", { name: /checklist/ })
    .first()
    .click();
  await expect(page.getByRole("link", { name: /^Review 4 pending runs/ }).first()).toBeVisible();
  await expect(main.getByRole("link", { name: /^Review/ })).toContainText("4 pending");
});

test("the queue says how many more runs there are", async ({ page, project }) => {
  await project.sendMany(10, (n) => ({ task: `Task ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, OLDEST);
  const queue = page.getByRole("navigation", { name: "Queue" });
  await expect(queue.getByRole("button")).toHaveCount(4);
  await expect(queue.getByText("and 6 more")).toBeVisible();
  await page.keyboard.press("y");
  await reviewPage.hasDone(1);
  await expect(queue.getByText("and 5 more")).toBeVisible();
});

test("the figures of a used memory have headers, and their n is that of the q_value", async ({
  page,
  project,
}) => {
  const memory = await project.remember("Refund an order", "Look the price up before refunding.");
  for (let n = 1; n <= 2; n += 1)
    await project.send({ task: "Refund it", retrieved_memory_ids: [memory], review: { result: "pass" } });
  await expect.poll(async () => (await project.memory(memory)).reviews).toBe(2);
  const now = (await project.memory(memory)).q_value;
  await project.send({ task: "Refund order 3", retrieved_memory_ids: [memory] });
  const reviewPage = await ReviewPage.open(page, project);
  const used = reviewPage.run.getByRole("region", { name: "Memories used (1)" });
  for (const [name, value] of [
    ["recent average now", `${now.toFixed(2)} (n = 2)`],
    ["if it passes", (now + 0.3 * (1 - now)).toFixed(2)],
    ["if it fails", (now - 0.3 * now).toFixed(2)],
  ] as const) {
    const figure = used.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) });
    await expect(figure.getByRole("definition")).toHaveText(value);
  }
});

test("after a verdict the page shows the saved lesson and links to it", async ({ page, project }) => {
  await project.sendMany(2, (n) => ({ task: `Refund order ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, OLDEST);
  await page.keyboard.press("n");
  await page.keyboard.type("Look the price up before you answer.");
  await page.keyboard.press("Control+Enter");
  await reviewPage.hasDone(1);
  const recent = reviewPage.panel.getByRole("region", { name: "Your last verdicts" });
  await expect(recent).toContainText("Refund order 1");
  await expect(recent).toContainText("Lesson in about 15 s, unless you undo.");
  // The server learns after the grace period of 15 seconds.
  await expect(recent).toContainText("Lesson saved: ", { timeout: 60_000 });
  await recent.getByRole("link", { name: "view the lesson" }).click();
  await expect(page).toHaveURL(/\/memories\/[0-9a-f-]{36}$/);
});

test("below 1200 pixels the queue opens on demand", async ({ page, project }) => {
  await project.sendMany(3, (n) => ({ task: `Task ${n}` }));
  await page.setViewportSize({ width: 1024, height: 768 });
  const reviewPage = await ReviewPage.open(page, project, OLDEST);
  const queue = page.getByRole("navigation", { name: "Queue" });
  const toggle = page.getByRole("button", { name: "Queue", exact: true });
  await expect(queue).toBeHidden();
  await toggle.click();
  await queue.getByRole("button", { name: "Task 3" }).click();
  await reviewPage.shows("Task 3");
  await expect(queue).toBeHidden();
  await toggle.click();
  await expect(queue).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(queue).toBeHidden();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("a queue is cleared by thumb", async ({ page, project }) => {
    const ids = await sendThree(project);
    const reviewPage = await ReviewPage.open(page, project, OLDEST);
    await expect(page.getByRole("navigation", { name: "Queue" })).toBeHidden();
    for (const name of ["Pass", "Fail", "Defer", "Skip", "Undo", "Feedback"])
      await isInReach(page, reviewPage.button(name));
    await reviewPage.button("Pass").tap();
    await reviewPage.shows("Task 2");
    await reviewPage.ready();
    // The message about the verdict does not cover the buttons.
    await reviewPage.button("Fail").tap();
    await expect(page.getByLabel("What was wrong?")).toBeFocused();
    await page.getByLabel("What was wrong?").fill("Look the price up first.");
    await isInReach(page, reviewPage.button("Send"));
    await reviewPage.button("Send").tap();
    await reviewPage.shows("Refund order 1182");
    await reviewPage.ready();
    await reviewPage.button("Defer").tap();
    await isInReach(page, reviewPage.button("Tomorrow"));
    await reviewPage.button("Tomorrow").tap();
    await expect(page.getByRole("heading", { name: "No runs are pending" })).toBeVisible();
    await reviewPage.sent();
    const results = await Promise.all(
      ids.map(async (id) => (await project.trace(id)).review?.result ?? null),
    );
    expect(results).toEqual(["pass", "fail", null]);
  });
});

test.describe("accessibility of small screens", () => {
  // The content security policy would block axe.
  test.use({ bypassCSP: true });

  for (const width of [390, 768, 1024]) {
    test(`no violations and no overflow at ${width} pixels`, async ({ page, project }) => {
      await page.setViewportSize({ width, height: 844 });
      const memory = await project.remember("Refund an order", "Look the price up before refunding.");
      await project.send({ ...LARGE, retrieved_memory_ids: [memory] });
      const reviewPage = await ReviewPage.open(page, project);
      const found: string[] = [];
      const look = async (state: string) => {
        await waitUntilIdle(page);
        found.push(...(await violations(page)).map((one) => `${state}: ${one}`));
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (excess > 0) found.push(`${state}: ${excess} px too wide`);
      };
      await look("reading");
      await reviewPage.run.getByRole("button", { name: "3.3 kB, show the text of step 4" }).click();
      await look("unfolded");
      await page.getByRole("button", { name: "Queue", exact: true }).click();
      await look("queue");
      await page.keyboard.press("Escape");
      await reviewPage.button("Fail").click();
      await look("failing");
      expect(found).toEqual([]);
    });
  }
});

/** Expects a button to be inside the screen and large enough for a thumb. */
async function isInReach(page: Page, button: Locator): Promise<void> {
  await expect(button).toBeVisible();
  const box = await button.boundingBox();
  const screen = page.viewportSize();
  expect(box?.height ?? 0).toBeGreaterThanOrEqual(40);
  expect(box?.width ?? 0).toBeGreaterThanOrEqual(40);
  expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(screen?.height ?? 0);
  expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual(screen?.width ?? 0);
}

/** Two small runs and a large one, oldest first. */
async function sendThree(project: Project): Promise<string[]> {
  const small = await project.sendMany(2, (n) => ({ task: `Task ${n}` }));
  return [...small, await project.send(LARGE)];
}
