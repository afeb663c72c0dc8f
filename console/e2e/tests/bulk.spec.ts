// One verdict for many runs.
import { expect, test } from "../stage/test";

test("the sheet says what will happen, does nothing before it is asked to, and all of it can be taken back", async ({
  page,
  project,
}) => {
  const memory = await project.remember("Sum a column", "Say which column was summed.");
  const ids = await project.sendMany(8, (n) => ({
    task: `Sum column ${n}`,
    ...(n <= 3 ? { retrieved_memory_ids: [memory] } : {}),
  }));
  const before = (await project.memory(memory)).q_value;
  await page.goto(project.page("/traces?q=status:pending"));
  const rows = page.getByRole("checkbox", { name: /^Select Sum column/ });
  await expect(rows).toHaveCount(8);
  for (let n = 0; n < 8; n += 1) await rows.nth(n).check();
  await page.getByRole("button", { name: "Review them" }).click();

  const sheet = page.getByRole("dialog", { name: "One verdict for many runs" });
  const forecast = sheet.getByRole("status");
  await expect(forecast).toContainText("8 runs get a pass, 1 utility moves, no model is asked.");
  expect((await project.memory(memory)).q_value).toBe(before);
  await sheet.getByRole("radio", { name: "Fail" }).check();
  await expect(forecast).toContainText("8 runs get a fail");
  // A fail for many needs words for all of them, and so many need a look at some of them.
  const look = sheet.getByRole("button", { name: "Look at a few of them first" });
  await expect(look).toBeDisabled();
  await sheet.getByRole("textbox").fill("None of them says which column was summed.");
  await look.click();
  const all = sheet.getByRole("button", { name: "Fail 8 runs" });
  for (let n = 1; n <= 3; n += 1) {
    await expect(sheet.getByRole("heading", { name: `Spot check, ${n} of 3` })).toBeVisible();
    await expect(all).toBeDisabled();
    await sheet.getByRole("button", { name: "This one fails" }).click();
  }
  await all.click();

  await expect(page.getByText("8 runs failed.")).toBeVisible();
  expect(await project.trace(ids[0] ?? "")).toMatchObject({
    review: { result: "fail", feedback_text: "None of them says which column was summed." },
  });
  expect((await project.memory(memory)).q_value).toBeLessThan(before);
  await page.getByRole("button", { name: "Take all of it back" }).click();
  await expect(page.getByText("The whole batch was taken back.")).toBeVisible();
  await project.utilityBecomes(memory, before);
  for (const id of ids) expect((await project.trace(id)).review).toBeNull();
});

test("one run that would get the other verdict stops a verdict on many", async ({ page, project }) => {
  const ids = await project.sendMany(6, (n) => ({ task: `Sum column ${n}` }));
  await page.goto(project.page("/review"));
  await page.getByRole("region", { name: "Run" }).waitFor();
  await page.keyboard.press("a");
  const sheet = page.getByRole("dialog", { name: "One verdict for many runs" });
  await sheet.getByRole("button", { name: "Look at a few of them first" }).click();
  await sheet.getByRole("button", { name: "This one passes" }).click();
  await sheet.getByRole("button", { name: "This one fails" }).click();
  await expect(sheet.getByRole("alert")).toContainText("these runs are not alike");
  await expect(sheet.getByRole("button", { name: "Pass 6 runs" })).toBeDisabled();
  for (const id of ids) expect((await project.trace(id)).review).toBeNull();
});

test("a verdict on everything that matches leaves alone what has a review", async ({ page, project }) => {
  await project.sendMany(4, (n) => ({ task: `Run ${n}`, model: n <= 2 ? "small" : "large" }));
  await page.goto(project.page("/review?q=model:small"));
  await page.getByRole("region", { name: "Run" }).waitFor();
  await page.keyboard.press("a");
  const sheet = page.getByRole("dialog", { name: "One verdict for many runs" });
  await expect(sheet.getByText("Every run that waits for a review and matches model:small.")).toBeVisible();
  await sheet.getByRole("button", { name: "Pass 2 runs" }).click();
  await expect(page.getByText("2 runs passed.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "No pending run matches this filter" })).toBeVisible();
  const reviewed = await project.reviewed();
  expect(reviewed.map((trace) => trace.task).toSorted()).toEqual(["Run 1", "Run 2"]);
});
