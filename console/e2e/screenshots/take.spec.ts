// The example project in the console: every page has content, and the pictures of the documentation show it.
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { waitUntilIdle } from "../support/idle";
import { expect, test } from "../support/test";
import { demoPages, loadDemo } from "./demo";

const FOLDER = fileURLToPath(new URL("../../../docs/console/", import.meta.url));
/** Shows that the pictures can be taken, without replacing those of the documentation. */
const isQuick = process.env.REFLECT_SCREENSHOTS === "quick";
const THEMES = isQuick ? (["light"] as const) : (["light", "dark"] as const);
const PHONE = { width: 390, height: 844 };
const ON_A_PHONE = ["overview", "review", "trace"];
/** Texts of earlier releases that no page may show. */
const OLD_WORDINGS = [
  /A run of “/,
  /A run of "/,
  /seconds per verdict/,
  /\bnobody\b/i,
  /\bwhoever\b/i,
  /q_value/,
];

test.use({ slug: "demo" });
test.setTimeout(600_000);

test("every page of the example project has content, ten in both themes and three on a phone", async ({
  page,
  project,
  installation: { server, key },
}) => {
  await loadDemo(server, key);
  const pages = await demoPages(project);
  const picture = async (name: string) => {
    const file = `${name}.png`;
    await page.screenshot({ path: isQuick ? test.info().outputPath(file) : `${FOLDER}${file}` });
  };
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const [name, { path, ready }] of Object.entries(pages)) {
      await page.goto(project.page(path));
      await ready(page);
      await waitUntilIdle(page);
      if (theme === "light") await expectContent(page, name);
      await picture(`${name}-${theme}`);
    }
  }
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  for (const name of ON_A_PHONE) {
    const shown = pages[name];
    if (shown === undefined) throw new Error(`there is no page ${name}`);
    await page.goto(project.page(shown.path));
    await shown.ready(page);
    await waitUntilIdle(page);
    await picture(`${name}-phone`);
  }
});

/** No chart is blank, no two rows of a list are equal, and no text is of an earlier release. */
async function expectContent(page: Page, name: string): Promise<void> {
  for (const chart of await page.locator("main svg[role=img], main figure svg").all()) {
    const marks = await chart.locator("path, rect, circle, line").count();
    expect(marks, `a chart on ${name}`).toBeGreaterThan(2);
  }
  for (const table of await page.locator("main table, main [role=table], main [role=grid]").all()) {
    const rows = await table.locator("tbody tr, [role=row]").allInnerTexts();
    const texts = rows.map((text) => text.replace(/\s+/g, " ").trim()).filter((text) => text !== "");
    expect(new Set(texts).size, `rows on ${name}: ${texts.join("\n")}`).toBe(texts.length);
  }
  const text = await page.locator("main").innerText();
  // Only a server with an embedding model knows similar tasks.
  if (name === "overview") expect(text).toMatch(/passed before the lesson\s.*passed after it/s);
  for (const old of OLD_WORDINGS) expect(text, name).not.toMatch(old);
}
