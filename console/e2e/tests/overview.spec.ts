// The overview: the story of a lesson, the counters, the pass rate. Also the navigation around every page and the search.
import type { Page } from "@playwright/test";
import { SECTIONS } from "../../app/src/features/settings/sections";
import { waitUntilIdle } from "../support/idle";
import type { Project } from "../support/project";
import { expect, test } from "../support/test";

const WIDTHS = [390, 768, 1024, 1440];
const PHONE = { width: 390, height: 844 };
const THUMB_PX = 40;
/** Three weeks with 25 reviews per day. */
const DAYS = Array.from({ length: 21 }, (_, n) => ({
  day: `2026-11-${String(n + 1).padStart(2, "0")}`,
  reviews: 25,
  passed: Math.min(25, 8 + n),
}));

test("the story: a failed run, the reviewer's words, a later run that used the lesson", async ({
  page,
  project,
}) => {
  const failed = await failedRun(project);
  const memory = (await project.trace(failed)).created_memory_id ?? "";
  const task = (n: number) => `Refund order ${2047 + n}, the lamp arrived broken`;
  const later = await project.sendMany(4, (n) => ({
    task: task(n),
    final_response: "I refunded 19.90 to the card and 30.00 to the voucher.",
    retrieved_memory_ids: [memory],
    review: { result: "pass" },
  }));
  await openLoop(page, project);
  const story = page.getByRole("region", { name: "How your agent learned" });
  await expect(story).toContainText("I refunded 49.90 to the card.");
  await expect(story).toContainText("That part goes back to the voucher.");
  await expect(story).toContainText("I refunded 19.90 to the card and 30.00 to the voucher.");
  await expect(story.getByText("Example")).toBeHidden();

  const links = story.getByRole("link", { name: "Open the run" });
  await expect(links.first()).toHaveAttribute("href", new RegExp(`/traces/${failed}`));
  const used = (await links.last().getAttribute("href"))?.match(/traces\/([^?]+)/)?.[1] ?? "";
  expect(later).toContain(used);
  await story.getByRole("link", { name: "Open the lesson" }).click();
  await expect(page.getByRole("table", { name: "Situations" })).toBeVisible();
});

test("the story: without one, a labelled example without links", async ({ page, project }) => {
  await project.sendMany(20, (n) => ({ task: `Task ${n}` }));
  await page.goto(project.page());
  const story = page.getByRole("region", { name: /^How your agent will learn/ });
  await expect(story.getByText("Example", { exact: true })).toBeVisible();
  await expect(story.getByRole("link")).toHaveCount(0);
});

test("each counter has its next action, and one of them is recommended", async ({ page, project }) => {
  await project.sendMany(20, (n) => ({ task: `Task ${n}` }));
  await page.goto(project.page());
  const counters = page.getByRole("region", { name: "The last 7 days" }).getByRole("listitem");
  await expect(counters).toHaveCount(4);
  for (const [at, name] of [
    "Open traces",
    "Review 20 pending runs",
    "Open lessons",
    "Try a task",
  ].entries()) {
    await expect(counters.nth(at).getByRole("link")).toContainText(name);
  }
  await page.keyboard.press("a");
  await expect(page.getByRole("region", { name: "Run" })).toBeVisible();
});

test("the chart of the pass rate is never blank", async ({ page, project }) => {
  await mockDays(page, DAYS);
  // Records each state of the page in which the section is there without its chart.
  await page.addInitScript(() => {
    const blank: string[] = [];
    Object.assign(window, { blankCharts: blank });
    new MutationObserver(() => {
      const heading = document.querySelector("#success");
      const isDrawn = heading?.parentElement?.querySelector("svg path[d^=M]") != null;
      if (heading !== null && !isDrawn) blank.push(document.title);
    }).observe(document, { subtree: true, childList: true });
  });
  await openLoop(page, project);
  await page.getByRole("region", { name: "Pass rate, last 30 days" }).waitFor();
  await waitUntilIdle(page);
  const blank = await page.evaluate(() => (window as unknown as { blankCharts: string[] }).blankCharts);
  expect(blank).toEqual([]);
});

test("the values of a chart can be read by pointer and by keyboard", async ({ page, project }) => {
  await mockDays(page, DAYS);
  await openLoop(page, project);
  const plot = page.getByRole("slider", { name: "Values of the chart" });
  await plot.focus();
  await page.keyboard.press("Home");
  await expect(plot).toHaveAttribute("aria-valuetext", "Nov 1: 32 % passed (8 of 25, 95 % CI 17–52 %)");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText(/^Nov 2: 36 % passed \(9 of 25/)).toBeVisible();
  const box = await plot.boundingBox();
  if (box === null) throw new Error("the chart has no place");
  await page.mouse.move(box.x + box.width - 12, box.y + box.height / 2);
  await expect(page.getByText(/^Nov 21: 100 % passed \(25 of 25/)).toBeVisible();
});

test("fewer than three periods show a number and what is missing", async ({ page, project }) => {
  await mockDays(page, [{ day: "2026-11-01", reviews: 28, passed: 19 }]);
  await openLoop(page, project);
  const rate = page.getByRole("region", { name: "Pass rate, last 30 days" });
  await expect(rate).toContainText("68 % passed (19 of 28, 95 % CI 49–82 %)");
  await expect(rate).toContainText("There is one so far.");
  await expect(rate.locator("svg")).toHaveCount(0);
  await page.goto(project.page("/learning"));
  await expect(page.getByRole("region", { name: "Is the agent getting better?" })).toContainText(
    "68 % passed",
  );
});

test("Ctrl+K finds runs, lessons and projects", async ({ context, page, project }) => {
  const lesson = await project.remember("Book a meeting", "Dates are UTC.");
  const trace = await project.send({ task: "Sum the quarterly column" });
  const other = `${project.slug}-other`;
  const made = await context.request.post(`${project.server}/console/api/projects`, {
    data: { project_id: other },
    headers: { origin: project.server },
  });
  expect(made.status()).toBe(201);
  await page.goto(project.page("/settings/project"));
  await page.getByRole("heading", { level: 1 }).waitFor();
  const find = async (text: string, item: string | RegExp) => {
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("searchbox", { name: /^Search/ })).toBeFocused();
    await page.keyboard.type(text);
    await page.getByRole("menuitem", { name: item }).waitFor();
    await page.keyboard.press("Enter");
  };
  await find("quarterly", /Sum the quarterly column/);
  await expect(page).toHaveURL(new RegExp(`/traces/${trace}`));
  await find("dates are", /Dates are UTC/);
  await expect(page).toHaveURL(new RegExp(`/lessons/${lesson}`));
  await find(other, other);
  await expect(page).toHaveURL(new RegExp(`/p/${other}$`));
});

for (const width of WIDTHS) {
  test(`overview, learning and settings fit a screen of ${width} pixels`, async ({ page, project }) => {
    await page.setViewportSize({ width, height: 844 });
    await mockDays(page, DAYS);
    await failedRun(project);
    await dismissOnboarding(page, project);
    const wide: string[] = [];
    const paths = ["", "/learning", ...SECTIONS.map((section) => `/settings/${section.path}`)];
    for (const path of paths) {
      await page.goto(project.page(path));
      await page.getByRole("heading", { level: 1 }).waitFor();
      await waitUntilIdle(page);
      const pixels = await excess(page);
      if (pixels > 0) wide.push(`${path} by ${pixels} px`);
    }
    expect(wide).toEqual([]);
  });
}

test("on a phone, the menu and the sections of the settings are used by thumb", async ({ page, project }) => {
  await page.setViewportSize(PHONE);
  await page.goto(project.page());
  const menu = page.getByRole("button", { name: "Menu" });
  const link = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Settings" });
  await expect(link).toBeHidden();
  for (const button of [menu, page.getByRole("button", { name: "Search and actions" })]) {
    const box = await button.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(THUMB_PX);
  }
  await menu.click();
  expect((await link.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(THUMB_PX);
  await link.click();
  await expect(page.getByRole("heading", { level: 1, name: "Project" })).toBeVisible();
  await expect(link).toBeHidden();
  await page.getByLabel("Section", { exact: true }).selectOption("keys");
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
});

/** A run that fails with the reviewer's words and a lesson. */
function failedRun(project: Project): Promise<string> {
  return project.send({
    task: "Refund order 1182, the lamp arrived broken",
    final_response: "I refunded 49.90 to the card.",
    review: {
      result: "fail",
      feedback_text: "30.00 was paid by voucher. That part goes back to the voucher.",
      reflection: { summary: "Look up how the order was paid before a refund." },
    },
  });
}

async function mockDays(page: Page, days: object[]): Promise<void> {
  await page.route("**/overview", async (route) => {
    const response = await route.fetch();
    const json = { ...((await response.json()) as object), success_by_day: days };
    await route.fulfill({ response, json });
  });
}

/** Opens the overview without the checklist of new projects. */
async function openLoop(page: Page, project: Project): Promise<void> {
  await dismissOnboarding(page, project);
  await page.goto(project.page());
  await page.getByRole("region", { name: "Loop", exact: true }).waitFor();
}

async function dismissOnboarding(page: Page, project: Project): Promise<void> {
  await page.addInitScript(
    (key) => localStorage.setItem(key, JSON.stringify({ dismissed: true })),
    `reflect.first.${project.slug}`,
  );
}

/** How many pixels the page is wider than the screen. */
function excess(page: Page): Promise<number> {
  return page.evaluate(() => {
    const wider = (place: Element | null) => (place === null ? 0 : place.scrollWidth - place.clientWidth);
    return Math.max(wider(document.documentElement), wider(document.querySelector("main")));
  });
}
