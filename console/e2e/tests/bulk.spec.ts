// Bulk reviews.
import { expect, test } from "../support/test";

test("the dialog shows a preview, changes nothing before submission, and the batch can be undone", async ({
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
  await expect(forecast).toContainText("8 runs get a pass, 1 utility changes, no model is called.");
  expect((await project.memory(memory)).q_value).toBe(before);
  await sheet.getByRole("radio", { name: "Fail" }).check();
  await expect(forecast).toContainText("8 runs get a fail");
  // A bulk fail needs feedback, and a large batch needs a spot check.
  const look = sheet.getByRole("button", { name: "Check a sample first" });
  await expect(look).toBeDisabled();
  await sheet.getByRole("textbox").fill("None of them says which column was summed.");
  await look.click();
  const all = sheet.getByRole("button", { name: "Fail 8 runs" });
  for (let n = 1; n <= 3; n += 1) {
    await expect(sheet.getByRole("heading", { name: `Spot check, ${n} of 3` })).toBeVisible();
    await expect(all).toBeDisabled();
    await sheet.getByRole("button", { name: "This run fails" }).click();
  }
  await all.click();

  await expect(page.getByText("8 runs failed.")).toBeVisible();
  expect(await project.trace(ids[0] ?? "")).toMatchObject({
    review: { result: "fail", feedback_text: "None of them says which column was summed." },
  });
  expect((await project.memory(memory)).q_value).toBeLessThan(before);
  await page.getByRole("button", { name: "Undo all" }).click();
  await expect(page.getByText("The whole batch was undone.")).toBeVisible();
  await project.utilityBecomes(memory, before);
  for (const id of ids) expect((await project.trace(id)).review).toBeNull();
});

test("a different verdict in the spot check stops a bulk verdict", async ({ page, project }) => {
  const ids = await project.sendMany(6, (n) => ({ task: `Sum column ${n}` }));
  await page.goto(project.page("/review"));
  await page.getByRole("region", { name: "Run" }).waitFor();
  await page.keyboard.press("a");
  const sheet = page.getByRole("dialog", { name: "One verdict for many runs" });
  await sheet.getByRole("button", { name: "Check a sample first" }).click();
  await sheet.getByRole("button", { name: "This run passes" }).click();
  await sheet.getByRole("button", { name: "This run fails" }).click();
  await expect(sheet.getByRole("alert")).toContainText("these runs differ");
  await expect(sheet.getByRole("button", { name: "Pass 6 runs" })).toBeDisabled();
  for (const id of ids) expect((await project.trace(id)).review).toBeNull();
});

test("a bulk verdict on a filter does not change reviewed runs", async ({ page, project }) => {
  await project.sendMany(4, (n) => ({ task: `Run ${n}`, model: n <= 2 ? "small" : "large" }));
  await page.goto(project.page("/review?q=model:small"));
  await page.getByRole("region", { name: "Run" }).waitFor();
  await page.keyboard.press("a");
  const sheet = page.getByRole("dialog", { name: "One verdict for many runs" });
  await expect(sheet.getByText("All pending runs that match model:small.")).toBeVisible();
  await sheet.getByRole("button", { name: "Pass 2 runs" }).click();
  await expect(page.getByText("2 runs passed.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "No pending run matches this filter" })).toBeVisible();
  const reviewed = await project.reviewed();
  expect(reviewed.map((trace) => trace.task).toSorted()).toEqual(["Run 1", "Run 2"]);
});
