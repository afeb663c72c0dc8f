// Two people at one queue.
import { Desk } from "../stage/desk";
import type { Project } from "../stage/project";
import { expect, test } from "../stage/test";

test("what one reviewer has on the desk the other is not given", async ({ page, project, signIn }) => {
  await project.send({ task: "The only run" });
  await Desk.open(page, project);
  const ben = await (await signIn("ben", "reviewer")).newPage();
  await ben.goto(project.page("/review"));
  await expect(ben.getByRole("heading", { name: "Nothing is waiting" })).toBeVisible();
  await expect(ben.getByText("1 on somebody's desk")).toBeVisible();
  // Skipping gives it back at once.
  await page.keyboard.press("s");
  await new Desk(ben).shows("The only run");
});

for (const choice of ["Keep theirs", "Replace"] as const) {
  test(`a verdict that came second asks: ${choice.toLowerCase()}`, async ({
    context,
    page,
    project,
    signIn,
    watch,
  }) => {
    watch.allow(/ERR_INTERNET_DISCONNECTED|409|Failed to load resource/);
    const trace = await project.send({ task: "A run that two people judge" });
    const desk = await Desk.open(page, project);
    // Ana's line is down: she cannot hear that Ben was faster.
    await context.setOffline(true);
    await judgedByBen(await (await signIn("ben", "reviewer")).newPage(), project, trace);
    await page.keyboard.press("y");
    await desk.hasDone(1);
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
    await desk.hasDone(replaced ? 1 : 0);
    await desk.sent();
  });
}

async function judgedByBen(page: Desk["page"], project: Project, trace: string): Promise<void> {
  await page.goto(project.page(`/traces/${trace}`));
  await page.getByLabel("Feedback").fill("It refunded ten times the price.");
  await page.getByRole("button", { name: "Fail" }).click();
  await expect(page.getByRole("button", { name: "Withdraw this review" })).toBeVisible();
}
