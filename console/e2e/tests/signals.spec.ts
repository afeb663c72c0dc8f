// Signals: outcomes that other systems report, on the page of their run, and the rules in the settings.
import { expectNotification } from "../support/review-page";
import { expect, test } from "../support/test";

type Settings = { signals: { blind_share: number; matching: string; sources: Record<string, object> } };

test("a signal appears on the open page of its run and becomes its review", async ({ page, project }) => {
  await project.showAllSignals();
  const trace = await project.send({ task: "Round refunds down", keys: { commit: "4f2a9c1" } });
  await page.goto(project.page(`/traces/${trace}`));
  const about = page.getByRole("complementary", { name: "About this run" });
  await expect(about.getByText("None reported.")).toBeVisible();
  await expect(about.getByText("4f2a9c1")).toBeVisible();

  await project.signal("ci", {
    key: { name: "commit", value: "4f2a9c1" },
    outcome: "fail",
    comment: "2 tests failed: rounds_down",
    url: "https://ci.example/builds/7",
  });
  const signal = about.getByRole("listitem").filter({ hasText: "by commit 4f2a9c1" });
  await expect(signal).toContainText("2 tests failed: rounds_down");
  await expect(signal.getByRole("link")).toHaveAttribute("href", "https://ci.example/builds/7");
  await expect(signal).toContainText("Became the review of this run.");
  await expect(about.getByText("CI (signal)")).toBeVisible();
  // The memory is made after the review.
  await expect.poll(async () => (await project.trace(trace)).created_memory_id).not.toBeNull();
  const memory = (await project.trace(trace)).created_memory_id;
  await page.goto(project.page(`/memories/${memory ?? ""}`));
  await expect(page.getByText("failed by CI (signal)")).toBeVisible();
});

test("a weaker signal is overruled, a merge waits, and a person has the last word", async ({
  page,
  project,
}) => {
  await project.showAllSignals();
  const trace = await project.send({ task: "Post the letter" });
  await project.signal("tests", { trace_id: trace, outcome: "pass" });
  await project.signal("evaluation", { trace_id: trace, score: 0.5 });
  await project.signal("merge", { trace_id: trace, outcome: "pass" });
  await page.goto(project.page(`/traces/${trace}`));
  const about = page.getByRole("complementary", { name: "About this run" });
  const merge = about.getByRole("listitem").filter({ hasText: "Merges" });
  await expect(merge).toContainText(/Counts in .*, unless another signal contradicts it before\./);
  const unclear = about.getByRole("listitem").filter({ hasText: "Evaluations" });
  await expect(unclear).toContainText("No result: the score is between pass and fail.");
  // The weaker source counts while the stronger one waits.
  await expect(about.getByText("Tests (signal)")).toBeVisible();

  await about.getByRole("textbox", { name: "Feedback" }).fill("The address was wrong.");
  await about.getByRole("button", { name: "Fail", exact: true }).click();
  await expect(merge).toContainText("Overruled by a person.");
  await expect(about.getByText("Tests (signal)")).toBeHidden();
  await expect.poll(async () => (await project.trace(trace)).review?.result).toBe("fail");
});

test("withheld signals are counted, and shown after a review by a person", async ({ page, project }) => {
  await project.call("PATCH", "", { signals: { blind_share: 1 } });
  const trace = await project.send({ task: "Weigh the parcel" });
  await project.signal("tests", { trace_id: trace, outcome: "pass" });
  await page.goto(project.page(`/traces/${trace}`));
  const about = page.getByRole("complementary", { name: "About this run" });
  await expect(about.getByText(/^1 signal is withheld until a person has reviewed this run/)).toBeVisible();
  await about.getByRole("button", { name: "Pass", exact: true }).click();
  await expect(about.getByText("Agrees with the review by a person.")).toBeVisible();

  const tests = page.getByRole("listitem", { name: "Tests" });
  // The server keeps a measurement for some seconds.
  await expect(async () => {
    await page.goto(project.page("/settings/signals"));
    const agreement = "The source and people agree on 100 % of the runs (1 of 1, 95 % CI";
    await expect(tests).toContainText(agreement, { timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  await expect(tests.getByRole("img", { name: /^Tests: agreement 100 %/ })).toBeVisible();
});

test("rules: changed with the keyboard, set back, and added for another source", async ({
  page,
  project,
}) => {
  const settings = async () => (await project.call<Settings>("GET", "")).signals;
  await page.goto(project.page("/settings/signals"));
  const merge = page.getByRole("listitem", { name: "Merges" });
  await expect(merge).toContainText("A pass counts after 3 d 0 h, a fail at once. Precedence 50.");
  await expect(merge).toContainText("Agreement with people: unknown so far.");
  const change = merge.getByRole("button", { name: "Change the rule of Merges" });
  await change.focus();
  await page.keyboard.press("Enter");
  const wait = merge.getByLabel("Wait after a pass, in hours");
  await wait.focus();
  await wait.fill("1000");
  await expect(merge.getByText("Wait after a pass: enter a number from 0 to 720.")).toBeVisible();
  await expect(merge.getByRole("button", { name: "Save" })).toBeDisabled();
  await wait.fill("24");
  await page.keyboard.press("Enter");
  await expectNotification(page, "Saved.");
  await expect(merge).toContainText("A pass counts after 1 d 0 h");
  await expect.poll(async () => (await settings()).sources).toEqual({ merge: { wait_pass_seconds: 86_400 } });

  await change.click();
  await merge.getByRole("button", { name: "Use the usual rule" }).click();
  await expect(merge).toContainText("A pass counts after 3 d 0 h");
  await expect.poll(async () => (await settings()).sources).toEqual({});

  await page.getByLabel("Name of the source").fill("Nightly build");
  await expect(page.getByText("This is not the name of a source.")).toBeVisible();
  await page.getByLabel("Name of the source").fill("nightly-build");
  await page.getByRole("button", { name: "Add source" }).click();
  const nightly = page.getByRole("listitem", { name: "nightly-build" });
  await nightly.getByRole("button", { name: "Change the rule of nightly-build" }).click();
  await nightly.getByLabel("Make reviews of these signals").uncheck();
  await nightly.getByRole("button", { name: "Save" }).click();
  await expect(nightly.getByText("not counted", { exact: true })).toBeVisible();
  await expect.poll(async () => (await settings()).sources).toEqual({ "nightly-build": { counts: false } });
});

test("the share of withheld signals and the meaning of a key are set", async ({ page, project }) => {
  await page.goto(project.page("/settings/signals"));
  await page.getByLabel("Withheld signals, in percent").fill("10");
  await page.getByRole("radio", { name: /^The only run/ }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expectNotification(page, "Saved.");
  const { signals } = await project.call<Settings>("GET", "");
  expect(signals).toMatchObject({ blind_share: 0.1, matching: "only" });
});

test("a viewer sees the rules and cannot change them", async ({ project, signIn }) => {
  const page = await (await signIn("vera", "viewer")).newPage();
  await page.goto(project.page("/settings/signals"));
  await expect(page.getByRole("listitem", { name: "CI", exact: true })).toContainText("Precedence 20.");
  await expect(page.getByText("As a viewer you cannot change these rules.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Change the rule/ })).toHaveCount(0);
  await expect(page.getByLabel("Withheld signals, in percent")).toBeDisabled();
});
