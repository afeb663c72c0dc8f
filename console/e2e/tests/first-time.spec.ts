// A first-time user reviews five runs. They use only what is visible: no keys, no URLs. The test records
// everything that stopped them. It must be nothing.
import type { Locator, Page } from "@playwright/test";
import { ReviewPage, watchPaints } from "../support/review-page";
import { expect, test } from "../support/test";

test("five runs are reviewed with visible controls only, starting at the link", async ({
  context,
  page,
  project,
}) => {
  await project.sendMany(5, (n) => ({ task: `Answer question ${n}` }));
  const invited = await context.request.post(`${project.server}/console/api/members`, {
    data: { name: `ella of ${project.slug}`, role: "reviewer", projects: [project.slug] },
    headers: { origin: project.server },
  });
  const { link } = (await invited.json()) as { link: { path: string } };
  await context.clearCookies();
  await watchPaints(page);
  const stops: string[] = [];
  const see = async (what: string, thing: Locator) => {
    await thing.waitFor({ timeout: 30_000 }).catch(() => stops.push(what));
  };

  await page.goto(`${project.server}${link.path}`);
  await button(page, /sign in/i).click();
  await see("a place to review", linkTo(page, /review/i));
  await linkTo(page, /review/i).click();
  await see("the question", page.getByText("Was this correct?"));
  for (let n = 1; n <= 5; n += 1) {
    await see(`run ${n}: what was asked`, page.getByText(/^Answer question \d$/).last());
    await see(`run ${n}: what was answered`, page.getByText(/^Done: Answer question \d$/).first());
    // A verdict counts only after the guard time.
    await new ReviewPage(page).ready();
    const task = await page.getByRole("region", { name: "Task" }).innerText();
    if (n === 2) {
      await button(page, "Fail").click();
      await see("a place to say what was wrong", page.getByText("What was wrong?"));
      await page.keyboard.type("The answer repeats the question.");
      await see("how to go on", button(page, "Send"));
      await button(page, "Send").click();
    } else {
      await button(page, "Pass").click();
    }
    // Either the next run or the empty state is visible.
    const gone = page
      .getByRole("region", { name: "Task" })
      .filter({ hasNotText: task.split("\n").at(-1) ?? "" });
    await see(`run ${n}: that it counted`, n < 5 ? gone : page.getByText("No runs are pending"));
  }
  expect(stops).toEqual([]);
  await expect.poll(async () => (await project.reviewed()).length).toBe(5);
  await expect(page.getByText(/5 reviewed today/)).toBeVisible();
});

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const linkTo = (page: Page, name: RegExp) => page.getByRole("link", { name }).first();
