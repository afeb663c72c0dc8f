// An empty list and a filter without matches have different texts.
import { expect, test } from "../support/test";

test("traces: an empty list says how to store the first run, and shows it when it arrives", async ({
  page,
  project,
}) => {
  await page.goto(project.page("/traces"));
  await expect(page.getByRole("heading", { name: "No runs are stored yet" })).toBeVisible();
  await expect(page.getByText(`project_id="${project.slug}"`)).toBeVisible();
  for (const form of ["Decorator", "Explicit", "Context manager"]) {
    await page.getByRole("button", { name: form }).click();
    await expect(page.getByRole("button", { name: form })).toHaveAttribute("aria-pressed", "true");
  }
  await project.send({ task: "The very first run" });
  await expect(page.getByRole("link", { name: "The very first run" })).toBeVisible();
});

test("traces: a filter without matches is shown and can be removed", async ({ page, project }) => {
  await project.send({ task: "Something" });
  await page.goto(project.page("/traces?q=status:pending%20nosuchword"));
  await expect(page.getByRole("heading", { name: "No trace matches" })).toBeVisible();
  await expect(page.getByText("No runs are stored yet")).toBeHidden();
  await page.getByRole("button", { name: "Remove nosuchword" }).first().click();
  await expect(page.getByRole("link", { name: "Something" })).toBeVisible();
  expect(new URL(page.url()).searchParams.get("q")).toBe("status:pending");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "No trace matches" })).toBeVisible();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await expect(page.getByRole("link", { name: "Something" })).toBeVisible();
});

test("review: an empty queue differs from a filter without matches", async ({ page, project }) => {
  await page.goto(project.page("/review"));
  await expect(page.getByRole("heading", { name: "No runs are pending" })).toBeVisible();
  await project.send({ task: "Something", model: "large" });
  await expect(page.getByRole("region", { name: "Run" })).toBeVisible();
  await page.goto(project.page("/review?q=model:small"));
  await expect(page.getByRole("heading", { name: "No pending run matches this filter" })).toBeVisible();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await expect(page.getByRole("region", { name: "Run" })).toBeVisible();
});

test("overview: waits for the first run, then shows the next step", async ({ page, project }) => {
  await page.goto(project.page());
  await expect(page.getByText("Waiting for the first run.")).toBeVisible();
  await project.send({ task: "Something" });
  await expect(page.getByText(/^A run was stored/)).toBeVisible();
  await page.getByRole("link", { name: "Review the run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Run" })).toBeVisible();
});

test("an unknown project is named, with a link to the start page", async ({ page, project, guard }) => {
  guard.allow(/status of 404/);
  const start = page.getByRole("link", { name: "Start page" });
  await page.goto(project.page("/review").replace(project.slug, "no-such-project"));
  await expect(page.getByRole("heading", { name: "There is no project no-such-project" })).toBeVisible();
  await expect(start).toBeVisible();
  await page.goto(project.page("/no-such-page"));
  await expect(page.getByRole("heading", { name: "This page does not exist" })).toBeVisible();
  await expect(start).toBeVisible();
});

test("command palette: no match", async ({ page, project }) => {
  await page.goto(project.page());
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox", { name: "Search actions" }).fill("zzzz");
  await expect(page.getByText("No match.")).toBeVisible();
});

test("an invalid filter is explained, its term is marked, and it can be removed", async ({
  guard,
  page,
  project,
}) => {
  guard.allow(/status of 422/);
  await project.send({ task: "Something" });
  for (const path of ["/traces", "/memories"]) {
    await page.goto(project.page(`${path}?q=something%20colour:red`));
    await expect(page.getByRole("heading", { name: "The filter is not valid" })).toBeVisible();
    await expect(page.getByText(/^"colour:red" at character 11 has an unknown field/)).toBeVisible();
    await expect(page.getByRole("listitem").filter({ hasText: "(invalid)" })).toContainText("colour:red");
    await page.getByRole("button", { name: "Remove colour:red" }).click();
    await expect(page.getByRole("heading", { name: "The filter is not valid" })).toBeHidden();
  }
  await page.goto(project.page("/review?q=colour:red"));
  await expect(page.getByText(/^"colour:red" at character 1 has an unknown field/)).toBeVisible();
});
