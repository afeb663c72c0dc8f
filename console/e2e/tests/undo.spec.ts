// Undo of a verdict: before learning without side effects, and after learning with all its effects.
import { expectNotification, ReviewPage } from "../support/review-page";
import { expect, test } from "../support/test";

test("undo within the grace period: the run is pending, utilities are unchanged, nothing was learned", async ({
  page,
  project,
}) => {
  const memory = await project.remember("Refund an order", "Look the price up before refunding.");
  const trace = await project.send({ task: "Refund order 1", retrieved_memory_ids: [memory] });
  const before = (await project.memory(memory)).q_value;
  const reviewPage = await ReviewPage.open(page, project);
  await page.keyboard.press("y");
  await project.utilityBecomes(memory, before + 0.3 * (1 - before));
  await reviewPage.hasDone(1);
  await page.keyboard.press("u");
  await reviewPage.hasDone(0);
  await reviewPage.shows("Refund order 1");
  await project.utilityBecomes(memory, before);
  expect(await project.trace(trace)).toMatchObject({
    review: null,
    review_status: "pending",
    created_memory_id: null,
  });
  // The run is back in this session, and no other reviewer gets it.
  const queue = () => project.call<{ pending: number; leased: number }>("GET", "/review-queue");
  await expect.poll(queue).toMatchObject({ pending: 0, leased: 1 });
  // It can get another verdict.
  await reviewPage.ready();
  await page.keyboard.press("Shift+N");
  await project.utilityBecomes(memory, before - 0.3 * before);
});

test("undo after the grace period: utilities are restored and the created memory is retired", async ({
  page,
  project,
}) => {
  const memory = await project.remember("Refund an order", "Look the price up before refunding.");
  const trace = await project.send({ task: "Refund order 2", retrieved_memory_ids: [memory] });
  const before = (await project.memory(memory)).q_value;
  const reviewPage = await ReviewPage.open(page, project);
  await page.keyboard.press("n");
  await page.keyboard.type("Look the price up before you answer.");
  await page.keyboard.press("Control+Enter");
  await project.utilityBecomes(memory, before - 0.3 * before);
  // The server learns after the grace period of 15 seconds.
  const learned = async () => (await project.trace(trace)).created_memory_id;
  await expect.poll(learned, { timeout: 60_000 }).not.toBeNull();
  const made = await learned();
  expect((await project.memory(made ?? "")).status).toBe("active");

  await page.keyboard.press("Control+z");
  await reviewPage.hasDone(0);
  await project.utilityBecomes(memory, before);
  await expect.poll(async () => (await project.memory(made ?? "")).status).toBe("retired");
  expect((await project.trace(trace)).review).toBeNull();
});

test("verdicts are undone newest first, limited to this session", async ({ page, project }) => {
  await project.sendMany(3, (n) => ({ task: `Task ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, "?order=oldest");
  for (const n of [1, 2]) {
    await page.keyboard.press("y");
    await reviewPage.hasDone(n);
    await reviewPage.ready();
  }
  await page.getByRole("alertdialog").getByRole("button", { name: "Undo" }).click();
  await reviewPage.shows("Task 2");
  await page.keyboard.press("z");
  await reviewPage.shows("Task 1");
  await page.keyboard.press("u");
  await expect(page.getByText("This session has no verdict to undo.")).toBeVisible();
  await expect.poll(async () => (await project.reviewed()).length).toBe(0);
});

test("undo after a deferral names the run whose verdict it undid", async ({ page, project }) => {
  await project.sendMany(3, (n) => ({ task: `Task ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, "?order=oldest");
  await page.keyboard.press("y");
  await reviewPage.shows("Task 2");
  await page.keyboard.press("d");
  await page.keyboard.press("t");
  await reviewPage.shows("Task 3");
  await expectNotification(page, "Passed: Task 1");
  await expectNotification(page, "Deferred until tomorrow: Task 2");
  await page.keyboard.press("u");
  await expectNotification(page, "Pass undone: Task 1");
  await reviewPage.shows("Task 1");
  const messages = page.getByRole("region", { name: "Notifications" });
  await expect(messages.getByText("Task 2")).toBeHidden();
});
