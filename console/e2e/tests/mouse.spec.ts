// Complete flows with the mouse only. Text is pasted into fields; the page records keys, and at the end there must be none.
import { expectNotification, ReviewPage } from "../support/review-page";
import { expect, test as base } from "../support/test";

const test = base.extend<{ noKeys: undefined }>({
  noKeys: [
    async ({ context }, use) => {
      let pressed = 0;
      await context.exposeBinding("reportKey", () => (pressed += 1));
      await context.addInitScript(() => {
        const report = () => void (window as unknown as { reportKey: () => void }).reportKey();
        window.addEventListener("keydown", report, { capture: true });
      });
      await use(undefined);
      expect(pressed).toBe(0);
    },
    { auto: true },
  ],
});

test("reviewing: pass, fail, defer, skip, undo", async ({ page, project }) => {
  const ids = await project.sendMany(5, (n) => ({ task: `Task ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, "?order=oldest");
  await reviewPage.button("Pass").click();
  await reviewPage.shows("Task 2");
  await reviewPage.ready();
  await reviewPage.button("Fail").click();
  await page.getByLabel("What was wrong?").fill("Look the price up first.");
  await reviewPage.button("Send").click();
  await reviewPage.shows("Task 3");
  await reviewPage.ready();
  await reviewPage.button("Defer").click();
  await reviewPage.panel.getByRole("button", { name: "Tomorrow" }).click();
  await reviewPage.shows("Task 4");
  await reviewPage.ready();
  await reviewPage.button("Skip").click();
  await reviewPage.shows("Task 5");
  await reviewPage.ready();
  await reviewPage.button("Undo").click();
  await reviewPage.shows("Task 2");
  await expectNotification(page, "Fail undone: Task 2");
  await reviewPage.hasDone(1);
  await reviewPage.sent();
  const results = await Promise.all(ids.map(async (id) => (await project.trace(id)).review?.result ?? null));
  expect(results).toEqual(["pass", null, null, null, null]);
});

test("runs: filter by a button, open, look at the steps, review", async ({ page, project }) => {
  await project.send({ task: "Reviewed before", review: { result: "pass" } });
  const trace = await project.send({ task: "Sum the column" });
  await page.goto(project.page());
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Traces" }).click();
  await page.getByRole("button", { name: /^Not reviewed/ }).click();
  await expect(page.getByText("1 match")).toBeVisible();
  await page.getByRole("link", { name: "Sum the column" }).first().click();
  await page.getByRole("button", { name: "Steps", exact: true }).click();
  await expect(page.getByRole("region", { name: "Step 1" })).toBeVisible();
  await page.getByRole("button", { name: "Pass", exact: true }).click();
  await expect(page.getByRole("button", { name: "Withdraw this review" })).toBeVisible();
  await expect.poll(async () => (await project.trace(trace)).review?.result).toBe("pass");
});

test("lessons: group two, undo, disable one, undo", async ({ page, project }) => {
  const first = await project.remember("Book a meeting", "Dates are UTC.");
  await project.remember("Book a room", "Dates are in UTC, always.");
  await page.goto(project.page("/memories"));
  await page.getByRole("checkbox", { name: "Select Dates are UTC." }).click();
  await page.getByRole("checkbox", { name: "Select Dates are in UTC, always." }).click();
  await page.getByRole("button", { name: "Group", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Group lessons" });
  await sheet.getByRole("radio", { name: /^Dates are UTC\./ }).click();
  await sheet.getByRole("button", { name: "Group" }).click();
  await expectNotification(page, "Grouped 2 lessons into one.");
  await page.getByRole("alertdialog").getByRole("button", { name: "Undo" }).click();
  await expectNotification(page, "Undone: Grouped 2 lessons into one.");

  await page.goto(project.page(`/memories/${first}`));
  await page.getByRole("button", { name: "Disable" }).click();
  await expectNotification(page, "Disabled. It is no longer served.");
  await page.getByRole("alertdialog").getByRole("button", { name: "Undo" }).first().click();
  await expect.poll(async () => (await project.memory(first)).status).toBe("active");
});

test("search, language, and who can see the project", async ({ page, project }) => {
  await project.send({ task: "Sum the quarterly column" });
  await page.goto(project.page());
  const main = page.getByRole("navigation", { name: "Main" });
  await main.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox", { name: /^Search/ }).fill("quarterly");
  await page.getByRole("menuitem", { name: /Sum the quarterly column/ }).click();
  await expect(page).toHaveURL(/\/traces\//);
  await main.getByRole("link", { name: "Who can see this project" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Members" })).toBeVisible();
  await main.getByRole("button", { name: "Deutsch" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Mitglieder" })).toBeVisible();
  await page.getByRole("button", { name: "English" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Members" })).toBeVisible();
});
