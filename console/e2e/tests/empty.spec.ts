// "There is nothing" and "your filter shows nothing" are two different things, and read differently.
import { expect, test } from "../stage/test";

test("traces: empty says how to store the first run, and shows it when it arrives", async ({
  page,
  project,
}) => {
  await page.goto(project.page("/traces"));
  await expect(page.getByRole("heading", { name: "No run has been stored yet" })).toBeVisible();
  await expect(page.getByText(`project_id="${project.slug}"`)).toBeVisible();
  for (const form of ["Decorator", "Explicit", "Context manager"]) {
    await page.getByRole("button", { name: form }).click();
    await expect(page.getByRole("button", { name: form })).toHaveAttribute("aria-pressed", "true");
  }
  await project.send({ task: "The very first run" });
  await expect(page.getByRole("link", { name: "The very first run" })).toBeVisible();
});

test("traces: filtered to nothing names the filter and takes it away", async ({ page, project }) => {
  await project.send({ task: "Something" });
  await page.goto(project.page("/traces?q=status:pending%20nosuchword"));
  await expect(page.getByRole("heading", { name: "No trace matches" })).toBeVisible();
  await expect(page.getByText("No run has been stored yet")).toBeHidden();
  await page.getByRole("button", { name: "Take away nosuchword" }).first().click();
  await expect(page.getByRole("link", { name: "Something" })).toBeVisible();
  expect(new URL(page.url()).searchParams.get("q")).toBe("status:pending");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "No trace matches" })).toBeVisible();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await expect(page.getByRole("link", { name: "Something" })).toBeVisible();
});

test("review: an empty queue is not a filtered one", async ({ page, project }) => {
  await page.goto(project.page("/review"));
  await expect(page.getByRole("heading", { name: "Nothing is waiting" })).toBeVisible();
  await project.send({ task: "Something", model: "large" });
  await expect(page.getByRole("region", { name: "Run" })).toBeVisible();
  await page.goto(project.page("/review?q=model:small"));
  await expect(page.getByRole("heading", { name: "No pending run matches this filter" })).toBeVisible();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await expect(page.getByRole("region", { name: "Run" })).toBeVisible();
});

test("overview: without a run it waits for the first one, and shows what to do with it", async ({
  page,
  project,
}) => {
  await page.goto(project.page());
  await expect(page.getByText("Waiting for the first run.")).toBeVisible();
  await project.send({ task: "Something" });
  await expect(page.getByText(/^A run was stored/)).toBeVisible();
  await page.getByRole("link", { name: "Review the run" }).click();
  await expect(page.getByRole("region", { name: "Run" })).toBeVisible();
});

test("a project that is not there is named, with a way out", async ({ page, project, watch }) => {
  watch.allow(/status of 404/);
  const start = page.getByRole("link", { name: "Start page" });
  await page.goto(project.page("/review").replace(project.slug, "no-such-project"));
  await expect(page.getByRole("heading", { name: "There is no project no-such-project" })).toBeVisible();
  await expect(start).toBeVisible();
  await page.goto(project.page("/no-such-page"));
  await expect(page.getByRole("heading", { name: "This page does not exist" })).toBeVisible();
  await expect(start).toBeVisible();
});

test("palette: nothing of that name", async ({ page, project }) => {
  await page.goto(project.page());
  await page.getByRole("button", { name: "Actions" }).click();
  await page.getByRole("searchbox", { name: "Search actions" }).fill("zzzz");
  await expect(page.getByText("No action is called so.")).toBeVisible();
});
