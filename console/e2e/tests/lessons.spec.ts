// Lessons: grouping, splitting and moving; questions; settings.
import type { Page } from "@playwright/test";
import type { Project } from "../support/project";
import { expectNotification } from "../support/review-page";
import type { Server } from "../support/server";
import { expect, test } from "../support/test";

test("lessons: selected ones are grouped into one, and undo restores both", async ({ page, project }) => {
  await project.remember("Book a meeting", "Dates are UTC.");
  const other = await project.remember("Book a room", "Dates are in UTC, always.");
  await page.goto(project.page("/memories"));
  await page.getByRole("checkbox", { name: "Select Dates are UTC." }).check();
  await page.getByRole("checkbox", { name: "Select Dates are in UTC, always." }).check();
  await page.keyboard.press("m");
  const sheet = page.getByRole("dialog", { name: "Group lessons" });
  await sheet.getByRole("radio", { name: /^Dates are UTC\./ }).check();
  await sheet.getByRole("button", { name: "Group" }).click();
  await expectNotification(page, "Grouped 2 lessons into one.");
  const link = page.getByRole("link", { name: "Dates are in UTC, always." });
  await expect(link).toBeHidden();
  expect((await project.memory(other)).summary).toBe("Dates are UTC.");

  await page.keyboard.press("u");
  await expectNotification(page, "Undone: Grouped 2 lessons into one.");
  await expect(link).toBeVisible();
  expect((await project.memory(other)).summary).toBe("Dates are in UTC, always.");
});

test("a lesson: its situations are split off and moved, each can be undone", async ({
  guard,
  page,
  project,
}) => {
  // After the undo, the lesson of the open page is gone. The page opens the lesson that its situation went back to.
  guard.allow(/status of 404/);
  const lesson = await project.remember("Book a meeting", "Dates are UTC.");
  const memory = await project.remember("Book a room", "Dates are in UTC, always.");
  await project.call("POST", "/lessons/group", { into: lesson, lesson_ids: [memory] });
  await page.goto(project.page(`/memories/${memory}`));
  await page.getByRole("link", { name: "Open the lesson" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Dates are UTC." })).toBeVisible();
  const row = page
    .getByRole("table", { name: "Situations" })
    .getByRole("link", { name: "Book a room", exact: true });
  await expect(page.getByText("Lessons were grouped.").first()).toBeVisible();

  await page.getByRole("checkbox", { name: "Select Book a room" }).check();
  await page.keyboard.press("s");
  await expectNotification(page, "Split 1 situation off.");
  await expect(page.getByRole("heading", { level: 1, name: "Dates are in UTC, always." })).toBeVisible();
  await expect(row).toBeVisible();
  expect((await project.memory(memory)).summary).toBe("Dates are in UTC, always.");
  await page.keyboard.press("u");
  await expectNotification(page, "Undone: Split 1 situation off.");
  await expectNotification(page, "That lesson no longer exists. Its situations are part of this lesson now.");
  await expect(page).toHaveURL(project.page(`/lessons/${lesson}`));
  await expect(page.getByRole("heading", { level: 1, name: "Dates are UTC." })).toBeVisible();
  await expect(row).toBeVisible();

  await project.remember("Plan a trip", "Trips need a visa.");
  await page.getByRole("checkbox", { name: "Select Book a room" }).check();
  await page.keyboard.press("v");
  const sheet = page.getByRole("dialog", { name: "Move the situation" });
  await sheet.getByLabel("Words of the lesson or of a task").fill("visa");
  await sheet.getByRole("radio", { name: /Trips need a visa/ }).check();
  await sheet.getByRole("button", { name: "Move" }).click();
  await expectNotification(page, "Moved the situation.");
  expect((await project.memory(memory)).summary).toBe("Trips need a visa.");
  await page.getByRole("alertdialog").getByRole("button", { name: "Undo" }).click();
  await expectNotification(page, "Undone: Moved the situation.");
  await expect(row).toBeVisible();
  expect((await project.memory(memory)).summary).toBe("Dates are UTC.");
});

test("a lesson that never existed leads to the list", async ({ guard, page, project }) => {
  guard.allow(/status of 404/);
  await page.goto(project.page("/lessons/01a1dd7e-3f9d-7268-b8f2-277cca504f80"));
  await expect(page.getByRole("heading", { name: "This lesson no longer exists" })).toBeVisible();
  await page.getByRole("link", { name: "All lessons" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Memories" })).toBeVisible();
});

test("an edit of a lesson changes the text of all its situations", async ({ page, project }) => {
  const lesson = await project.remember("Book a meeting", "Dates are local.");
  const memory = await project.remember("Book a room", "Dates are local.");
  expect((await project.memory(memory)).lesson_id).toBe(lesson);
  await page.goto(project.page(`/lessons/${lesson}`));
  await page.getByRole("heading", { level: 1, name: "Dates are local." }).waitFor();
  await page.keyboard.press("e");
  const sheet = page.getByRole("dialog", { name: "Edit the memory" });
  await sheet.getByLabel("Lesson").fill("Dates are UTC.");
  await sheet.getByRole("button", { name: "Save as version 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Dates are UTC." })).toBeVisible();
  expect((await project.memory(memory)).summary).toBe("Dates are UTC.");
});

test("a lesson whose first situation is merged: another one edits it, and the merged one is not selected", async ({
  page,
  project,
}) => {
  const lesson = await project.remember("Book a meeting", "Dates are local.");
  const memory = await project.remember("Book a room", "Dates are local.");
  await project.call("POST", "/memories/merge", { survivor_id: memory, memory_ids: [lesson] });
  await page.goto(project.page(`/lessons/${lesson}`));
  await expect(page.getByRole("checkbox", { name: "Select Book a room" })).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "Select Book a meeting" })).toBeHidden();
  await page.keyboard.press("e");
  const sheet = page.getByRole("dialog", { name: "Edit the memory" });
  await sheet.getByLabel("Lesson").fill("Dates are UTC.");
  await sheet.getByRole("button", { name: "Save as version 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Dates are UTC." })).toBeVisible();
  expect((await project.memory(memory)).summary).toBe("Dates are UTC.");
});

test("situations: an edit is shown in all rows of its lesson, and the next one continues from it", async ({
  page,
  project,
}) => {
  await project.remember("Book a meeting", "Dates are local.");
  const memory = await project.remember("Book a room", "Dates are local.");
  await page.goto(project.page("/memories?list=situations"));
  await expect(page.getByRole("row", { name: /Dates are local\./ })).toHaveCount(2);
  const sheet = page.getByRole("dialog", { name: "Edit the memory" });
  for (const [version, text] of [
    [2, "Dates are UTC."],
    [3, "Dates are UTC, always."],
  ] as const) {
    await page.keyboard.press("j");
    await page.keyboard.press("e");
    await sheet.getByLabel("Lesson").fill(text);
    await sheet.getByRole("button", { name: `Save as version ${version}` }).click();
    await expectNotification(page, `Saved a new version. It is version ${version}.`);
    await expect(page.getByRole("row", { name: text })).toHaveCount(2);
    expect((await project.memory(memory)).summary).toBe(text);
  }
});

test("questions: both lessons are shown with their runs, one key answers, undo asks again", async ({
  installation,
  page,
  project,
}) => {
  const first = await project.remember("Refund a broken order", "Refund the full price.");
  const second = await project.remember("Refund a cracked order", "Offer an exchange.");
  ask(installation.server, project, first, second);
  await page.goto(project.page("/questions"));
  await expect(page.getByRole("navigation", { name: "Main" }).getByText("1 open")).toBeVisible();
  const card = page.getByRole("region", { name: "First" });
  await expect(card).toContainText("Refund the full price.");
  await expect(card).toContainText("pass");
  await expect(page.getByRole("region", { name: "Second" })).toContainText("Offer an exchange.");
  await expectFit(page);

  await page.keyboard.press("1");
  await expectNotification(page, "Answered. The second is no longer served.");
  await expect(page.getByRole("heading", { name: "No open questions" })).toBeVisible();
  expect((await project.memory(second)).status).toBe("disabled");
  await page.keyboard.press("u");
  await expectNotification(page, "Undone: Answered. The second is no longer served.");
  await expect(card).toBeVisible();
  expect((await project.memory(second)).status).toBe("active");

  await page.keyboard.press("b");
  await expectNotification(page, "Answered. Both stay.");
  await expect(page.getByRole("heading", { name: "No open questions" })).toBeVisible();
  await page.keyboard.press("u");
  await expectNotification(page, "Undone: Answered. Both stay.");
  await expect(card).toBeVisible();
});

test("questions: a newer one does not replace the one on screen", async ({ installation, page, project }) => {
  const first = await project.remember("Refund a broken order", "Refund the full price.");
  const second = await project.remember("Refund a cracked order", "Offer an exchange.");
  ask(installation.server, project, first, second);
  await page.goto(project.page("/questions"));
  const card = page.getByRole("region", { name: "First" });
  await expect(card).toContainText("Refund the full price.");

  const other = await project.remember("Book a meeting", "Dates are local.");
  ask(installation.server, project, other, await project.remember("Book a room", "Dates are UTC."));
  // An event makes the page read the questions again.
  await project.remember("Plan a trip", "Trips need a visa.");
  await expect(page.getByText("2 of 2")).toBeVisible();
  await expect(card).toContainText("Refund the full price.");
  await page.keyboard.press("2");
  await expectNotification(page, "Answered. The first is no longer served.");
  expect((await project.memory(first)).status).toBe("disabled");
  expect((await project.memory(other)).status).toBe("active");
  await expect(card).toContainText("Dates are local.");
});

test("a lesson: its first situation is split off, and its page opens", async ({ page, project }) => {
  const lesson = await project.remember("Book a meeting", "Dates are UTC.");
  const memory = await project.remember("Book a room", "Dates are in UTC, always.");
  await project.call("POST", "/lessons/group", { into: lesson, lesson_ids: [memory] });
  await page.goto(project.page(`/lessons/${lesson}`));
  await page.getByRole("checkbox", { name: "Select Book a meeting" }).check();
  await page.keyboard.press("s");
  await expectNotification(page, "Split 1 situation off.");
  const situations = page.getByRole("table", { name: "Situations" });
  await expect(situations.getByRole("link", { name: "Book a room", exact: true })).toBeHidden();
  await expect(situations.getByRole("link", { name: "Book a meeting", exact: true })).toBeVisible();
  expect((await project.memory(memory)).summary).toBe("Dates are in UTC, always.");
});

test("settings: grouping is changed, reverted and started again", async ({ page, project }) => {
  const grouping = async () =>
    (await project.call<{ lessons: { grouping: string } }>("GET", "")).lessons.grouping;
  await page.goto(project.page("/settings/lessons"));
  await page.getByRole("radio", { name: /^Without a model/ }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expectNotification(page, "Saved.");
  expect(await grouping()).toBe("structure");
  await page.getByRole("button", { name: "Revert the grouping" }).click();
  const sheet = page.getByRole("dialog", { name: "Revert the grouping?" });
  await sheet.getByRole("button", { name: "Revert" }).click();
  await expectNotification(page, "Reverted. Grouping is off now.");
  expect(await grouping()).toBe("off");
  // A revert that was interrupted is repeated.
  await expect(page.getByText(/If the revert was interrupted, repeat it\./)).toBeVisible();
  await page.getByRole("button", { name: "Revert the grouping" }).click();
  await sheet.getByRole("button", { name: "Revert" }).click();
  await expect(sheet).toBeHidden();
  await page.getByRole("button", { name: "Group again" }).click();
  await expectNotification(page, "The grouping starts soon.");
});

test("the list of lessons and a lesson fit a phone", async ({ page, project }) => {
  const lesson = await project.remember("Book a meeting", "Dates are UTC.");
  await page.goto(project.page("/memories"));
  const cell = page.locator("td", { has: page.getByRole("link", { name: "Dates are UTC." }) });
  await cell.waitFor();
  await expectFit(page);
  await page.setViewportSize({ width: 390, height: 844 });
  expect((await cell.boundingBox())?.width).toBeGreaterThan(200);
  await page.goto(project.page(`/lessons/${lesson}`));
  await page.getByRole("table", { name: "Situations" }).waitFor();
  await expectFit(page);
});

/** Stores a question. The server has no embedder here, so it cannot notice that tasks are similar. */
function ask(server: Server, project: Project, first: string, second: string): void {
  server.sql(
    `insert into lesson_question
       (project_id, question_id, first_lesson, second_lesson, first_memory, second_memory, similarity)
     select project_id, uuidv7(), '${first}', '${second}', '${first}', '${second}', 0.9
     from project where slug = '${project.slug}'`,
  );
}

/** The page does not scroll sideways on a phone. */
async function expectFit(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  if (before !== null) await page.setViewportSize(before);
}
