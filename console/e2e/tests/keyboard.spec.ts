// Complete flows with the keyboard only. The page records pointer events; at the end there must be none.
import type { Locator, Page } from "@playwright/test";
import { PAGES } from "../../app/src/pages";
import { en } from "../../app/src/texts/en";
import { expectNotification, ReviewPage } from "../support/review-page";
import { expect, test as base } from "../support/test";

const test = base.extend<{ noMouse: undefined }>({
  noMouse: [
    async ({ context }, use) => {
      let pressed = 0;
      await context.exposeBinding("reportPointer", () => (pressed += 1));
      await context.addInitScript(() => {
        const report = () => void (window as unknown as { reportPointer: () => void }).reportPointer();
        for (const kind of ["pointerdown", "mousedown"])
          window.addEventListener(kind, report, { capture: true });
      });
      await use(undefined);
      expect(pressed).toBe(0);
    },
    { auto: true },
  ],
});

// A member who can see no project gets the welcome page, which has no navigation.
test("signing in by a link", async ({ browser, installation, project }) => {
  const { server } = installation;
  const link = server.command("members", "link", "--name", "dora", "--role", "reviewer");
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await page.goto(`${server.url}/login${new URL(link).search}`);
  await tabTo(page, page.getByRole("button", { name: "Sign in as dora" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  await page.goto(project.page("/review"));
  await expect(page.getByRole("heading", { name: "No runs are pending" })).toBeVisible();
  await context.close();
});

test("reviewing: pass, fail with feedback, fail with recent feedback, defer, skip, undo, look back", async ({
  page,
  project,
}) => {
  const ids = await project.sendMany(6, (n) => ({ task: `Task ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, "?order=oldest");
  await page.keyboard.press("y");
  await reviewPage.shows("Task 2");
  await reviewPage.ready();
  await page.keyboard.press("n");
  await page.keyboard.type("Look the price up before you answer.");
  await page.keyboard.press("Control+Enter");
  await reviewPage.shows("Task 3");
  await reviewPage.ready();
  await page.keyboard.press("n");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("button", { name: "Look the price up before you answer." })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("What was wrong?")).toHaveValue("Look the price up before you answer.");
  await page.keyboard.press("Control+Enter");
  await reviewPage.shows("Task 4");
  await page.keyboard.press("d");
  await page.keyboard.press("t");
  await reviewPage.shows("Task 5");
  await page.keyboard.press("s");
  await reviewPage.shows("Task 6");
  await page.keyboard.press("k");
  await reviewPage.shows("Task 5");
  await page.keyboard.press("u");
  await reviewPage.shows("Task 3");
  await expectNotification(page, "Fail undone: Task 3");
  await reviewPage.hasDone(2);
  await reviewPage.sent();
  const results = await Promise.all(ids.map(async (id) => (await project.trace(id)).review?.result ?? null));
  expect(results).toEqual(["pass", "fail", null, null, null, null]);
});

test("looking back while the next run is loading: the reviewer stays there", async ({ page, project }) => {
  await project.sendMany(5, (n) => ({ task: `Task ${n}` }));
  let release = () => undefined as void;
  let held = Promise.resolve();
  // Before the page is opened: an interception that starts on an open page missed requests on a busy machine.
  await page.route("**/review-queue/next", async (route) => {
    await held;
    await route.continue();
  });
  const reviewPage = await ReviewPage.open(page, project, "?order=oldest");
  held = new Promise<void>((resolve) => (release = resolve));
  // The first four runs are loaded, the fifth is not.
  for (const n of [1, 2, 3]) {
    await page.keyboard.press("s");
    await reviewPage.shows(`Task ${n + 1}`);
  }
  await page.keyboard.press("s");
  await page.keyboard.press("k");
  await reviewPage.shows("Task 3");
  const loaded = page.waitForResponse("**/review-queue/next");
  release();
  await loaded;
  await expect(page.getByRole("navigation", { name: "Queue" }).getByText("Task 5")).toBeVisible();
  await reviewPage.shows("Task 3");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await reviewPage.shows("Task 5");
});

test("reviewing without single-letter keys: by Tab, Enter and the command palette", async ({
  page,
  project,
}) => {
  await page.addInitScript(() => localStorage.setItem("reflect.keys", JSON.stringify({ singleKeys: false })));
  await project.sendMany(3, (n) => ({ task: `Task ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, "?order=oldest");
  await tabTo(page, reviewPage.button("Pass"));
  await page.keyboard.press("Enter");
  await reviewPage.hasDone(1);
  await reviewPage.ready();
  await tabTo(page, reviewPage.button("Fail"));
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("What was wrong?")).toBeFocused();
  await page.keyboard.type("It answers another question.");
  await page.keyboard.press("Control+Enter");
  await reviewPage.hasDone(2);
  await reviewPage.ready();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search actions" })).toBeFocused();
  await page.keyboard.type("Undo the last");
  await page.keyboard.press("Enter");
  await reviewPage.shows("Task 2");
});

test("traces: filter, preview, open, step through, back, select, bulk verdict", async ({ page, project }) => {
  await project.sendMany(4, (n) => ({ task: n === 2 ? "Sum the column" : `Other ${n}` }));
  await page.goto(project.page("/traces"));
  await page.getByRole("checkbox").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("column");
  await page.keyboard.press("Enter");
  await expect(page.getByText("1 match")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("p");
  const preview = page.getByRole("complementary", { name: "Preview" });
  await expect(preview).toContainText("Done: Sum the column");
  await page.keyboard.press("o");
  await expect(page.getByRole("heading", { level: 1, name: "Trace", exact: true })).toBeVisible();
  await expect(page.getByText(/^step 1 of 2/)).toBeVisible();
  await page.keyboard.press("]");
  await expect(page.getByText(/^step 2 of 2/)).toBeVisible();
  expect(new URL(page.url()).searchParams.get("step")).toBe("2");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { level: 1, name: "Traces" })).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Enter");
  await expect(page.getByText("4 stored")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  for (let n = 0; n < 3; n += 1) await page.keyboard.press("Shift+J");
  await expect(page.getByText("4 selected")).toBeVisible();
  await page.keyboard.press("a");
  const sheet = page.getByRole("dialog", { name: "One verdict for many runs" });
  await expect(sheet.getByRole("status")).toContainText("4 runs get a pass");
  await tabTo(page, sheet.getByRole("button", { name: "Pass 4 runs" }));
  await page.keyboard.press("Enter");
  await expect(page.getByText("4 runs passed.")).toBeVisible();
  expect(await project.reviewed()).toHaveLength(4);
});

test("navigation: every page by its key sequence, theme and sign-out by the command palette", async ({
  page,
  project,
  signIn,
}) => {
  // A separate session, because ana's must stay valid.
  const dan = await (await signIn("dan", "maintainer")).newPage();
  await page.goto("about:blank");
  await dan.goto(project.page());
  await dan.getByRole("heading", { level: 1 }).waitFor();
  // The overview comes last, because it is open already. Settings opens its first section.
  const [overview, ...others] = PAGES.filter((one) => one.path !== "/settings");
  for (const { key, name } of [...others, ...(overview === undefined ? [] : [overview])]) {
    for (const one of key.split(" ")) await dan.keyboard.press(one);
    await expect(dan.getByRole("heading", { level: 1, name: en.shell.pages[name] })).toBeVisible();
  }
  await choose(dan, "Switch between light");
  await expect(dan.getByRole("button", { name: "Theme: light" })).toBeVisible();
  await choose(dan, "Sign out");
  await expect(dan.getByRole("heading", { name: "Sign in" })).toBeVisible();
});

async function choose(page: Page, action: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search actions" })).toBeFocused();
  await page.keyboard.type(action);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeHidden();
}

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let n = 0; n < 80; n += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${String(target)} cannot be reached with Tab`);
}
