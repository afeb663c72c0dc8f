// A verdict can be taken back: for free while it waits, and with everything that it did afterwards.
import { Desk } from "../stage/desk";
import { expect, test } from "../stage/test";

test("undo inside the grace: the run waits again, utilities are as before, nothing was learned", async ({
  page,
  project,
}) => {
  const memory = await project.remember("Refund an order", "Look the price up before refunding.");
  const trace = await project.send({ task: "Refund order 1", retrieved_memory_ids: [memory] });
  const before = (await project.memory(memory)).q_value;
  const desk = await Desk.open(page, project);
  await page.keyboard.press("y");
  await project.utilityBecomes(memory, before + 0.3 * (1 - before));
  await desk.hasDone(1);
  await page.keyboard.press("u");
  await desk.hasDone(0);
  await desk.shows("Refund order 1");
  await project.utilityBecomes(memory, before);
  expect(await project.trace(trace)).toMatchObject({
    review: null,
    review_status: "pending",
    created_memory_id: null,
  });
  // It lies on this desk again, and is given to nobody else meanwhile.
  const queue = () => project.call<{ pending: number; leased: number }>("GET", "/review-queue");
  await expect.poll(queue).toMatchObject({ pending: 0, leased: 1 });
  // And it can be judged again, otherwise.
  await desk.ready();
  await page.keyboard.press("Shift+N");
  await project.utilityBecomes(memory, before - 0.3 * before);
});

test("undo after the grace: utilities are restored and the memory that was made is retired", async ({
  page,
  project,
}) => {
  const memory = await project.remember("Refund an order", "Look the price up before refunding.");
  const trace = await project.send({ task: "Refund order 2", retrieved_memory_ids: [memory] });
  const before = (await project.memory(memory)).q_value;
  const desk = await Desk.open(page, project);
  await page.keyboard.press("n");
  await page.keyboard.type("Look the price up before you answer.");
  await page.keyboard.press("Control+Enter");
  await project.utilityBecomes(memory, before - 0.3 * before);
  // The server learns when the grace is over, 15 seconds from now.
  const learned = async () => (await project.trace(trace)).created_memory_id;
  await expect.poll(learned, { timeout: 60_000 }).not.toBeNull();
  const made = await learned();
  expect((await project.memory(made ?? "")).status).toBe("active");

  await page.keyboard.press("Control+z");
  await desk.hasDone(0);
  await project.utilityBecomes(memory, before);
  await expect.poll(async () => (await project.memory(made ?? "")).status).toBe("retired");
  expect((await project.trace(trace)).review).toBeNull();
});

test("the newest verdicts are undone one after the other, and no further than this session", async ({
  page,
  project,
}) => {
  await project.sendMany(3, (n) => ({ task: `Task ${n}` }));
  const desk = await Desk.open(page, project, "?order=oldest");
  for (const n of [1, 2]) {
    await page.keyboard.press("y");
    await desk.hasDone(n);
    await desk.ready();
  }
  await page.getByRole("alertdialog").getByRole("button", { name: "Undo" }).click();
  await desk.shows("Task 2");
  await page.keyboard.press("z");
  await desk.shows("Task 1");
  await page.keyboard.press("u");
  await expect(page.getByText("There is no verdict of this session left to undo.")).toBeVisible();
  await expect.poll(async () => (await project.reviewed()).length).toBe(0);
});
