// The value of a lesson: the same words and numbers on every page, and what does not change it.
import type { Page } from "@playwright/test";
import { type MemoryNumbers, valueOf } from "../../app/src/parts/lesson-value";
import { loadTexts } from "../../app/src/texts";
import { expect, test } from "../support/test";

test.beforeAll(() => loadTexts("en"));

test("the value of a lesson has the same words on every page", async ({ page, project }) => {
  const memory = await project.remember("Book a meeting", "Dates are UTC.");
  const run = { task: "Book it", retrieved_memory_ids: [memory], review: { result: "pass" as const } };
  await project.send(run);
  const trace = await project.send(run);
  await expect.poll(async () => (await project.memory(memory)).reviews).toBe(2);
  const { words } = valueOf(await project.call<MemoryNumbers>("GET", `/memories/${memory}`));
  expect(words).toBe("Too early to tell: 2 of 2 runs passed");
  for (const path of [
    "/memories",
    "/memories?list=situations",
    `/memories/${memory}`,
    `/lessons/${memory}`,
    "/retrieve?task=Book%20a%20meeting",
    `/traces/${trace}`,
  ]) {
    await page.goto(project.page(path));
    await expect(page.getByText(words, { exact: true }).first(), path).toBeVisible();
  }
});

test("retrieve and the memory page show the same utility and credit", async ({ page, project }) => {
  const memory = await project.remember("Book a meeting", "Dates are UTC.");
  await page.goto(project.page(`/memories/${memory}`));
  const numbers = await details(page);
  expect(numbers.join("\n")).toMatch(/Credit[^]*95 % CI[^]*Utility/);
  await page.goto(project.page("/retrieve?task=Book%20a%20meeting"));
  await page.getByRole("list", { name: "Served" }).waitFor();
  expect(await details(page)).toEqual(numbers);
});

test("a query in Retrieve is one retrieval, also if candidates are excluded", async ({ page, project }) => {
  await project.remember("Book a meeting", "Dates are UTC.");
  await project.remember("Book a room", "Rooms have a limit.");
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\/memory\/(query|augment)$/.test(pathname)) asked.push(pathname.split("/").at(-1) ?? "");
  });
  await page.goto(project.page("/retrieve?task=Book%20a%20meeting%20in%20a%20room&limit=1"));
  const excluded = page.getByRole("list", { name: "Excluded" });
  await expect(excluded).toContainText(/Dates are UTC\.|Rooms have a limit\./);
  await expect(excluded).toContainText(/similarity \d+\.\d\d, score \d+\.\d\d; ranked lower/);
  expect(asked).toEqual(["augment"]);
});

test("a withdrawn verdict is not counted in the history of a memory", async ({ page, project }) => {
  const memory = await project.remember("Book a meeting", "Dates are UTC.");
  const run = { task: "Book it", retrieved_memory_ids: [memory], review: { result: "pass" as const } };
  await project.send(run);
  const trace = await project.send(run);
  await project.call("DELETE", `/traces/${trace}/review`);
  await expect.poll(async () => (await project.memory(memory)).reviews).toBe(1);
  await page.goto(project.page(`/memories/${memory}`));
  await expect(page.getByText("1 review, 1 passed; 1 withdrawn and not counted")).toBeVisible();
});

/** The numbers in the details of the first value on the page. */
async function details(page: Page): Promise<string[]> {
  const panel = page.locator("details").filter({ hasText: "Details of the value" }).first();
  await panel.locator("summary").click();
  return panel.getByRole("definition").or(panel.getByRole("term")).allInnerTexts();
}
