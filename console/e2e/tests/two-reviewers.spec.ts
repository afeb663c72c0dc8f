// Two reviewers with one queue.
import { ReviewPage } from "../support/review-page";
import type { Project } from "../support/project";
import { expect, test } from "../support/test";

test("a run leased by one reviewer is not given to the other", async ({ page, project, signIn }) => {
  await project.send({ task: "The only run" });
  await ReviewPage.open(page, project);
  const ben = await (await signIn("ben", "reviewer")).newPage();
  await ben.goto(project.page("/review"));
  await expect(ben.getByRole("heading", { name: "No runs are pending" })).toBeVisible();
  await expect(ben.getByText("1 being reviewed by others")).toBeVisible();
  // Skip releases the lease at once.
  await page.keyboard.press("s");
  await new ReviewPage(ben).shows("The only run");
});

for (const choice of ["Keep theirs", "Replace"] as const) {
  test(`a second verdict shows a choice: ${choice.toLowerCase()}`, async ({
    context,
    page,
    project,
    signIn,
    guard,
  }) => {
    guard.allow(/ERR_INTERNET_DISCONNECTED|409|Failed to load resource/);
    const trace = await project.send({ task: "A run that two people judge" });
    const reviewPage = await ReviewPage.open(page, project);
    // Ana is offline: she does not see that Ben was faster.
    await context.setOffline(true);
    await judgedByBen(await (await signIn("ben", "reviewer")).newPage(), project, trace);
    await page.keyboard.press("y");
    await reviewPage.hasDone(1);
    await expect(page.getByText("1 not sent yet")).toBeVisible();
    await context.setOffline(false);

    await expect(page.getByText(/^ben failed this run /)).toBeVisible();
    expect((await project.trace(trace)).review?.result).toBe("fail");
    await page.getByRole("button", { name: choice }).click();
    const replaced = choice === "Replace";
    await expect
      .poll(async () => (await project.trace(trace)).review)
      .toMatchObject(
        replaced ? { result: "pass", reviewer: "member:ana" } : { result: "fail", reviewer: "member:ben" },
      );
    await reviewPage.hasDone(replaced ? 1 : 0);
    await reviewPage.sent();
  });
}

async function judgedByBen(page: ReviewPage["page"], project: Project, trace: string): Promise<void> {
  await page.goto(project.page(`/traces/${trace}`));
  await page.getByLabel("Feedback").fill("It refunded ten times the price.");
  await page.getByRole("button", { name: "Fail" }).click();
  await expect(page.getByRole("button", { name: "Withdraw this review" })).toBeVisible();
}
