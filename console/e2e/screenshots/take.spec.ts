// The screenshots of the documentation: eight pages in both themes.
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { waitUntilIdle } from "../support/idle";
import { test } from "../support/test";
import { example } from "./example";

const FOLDER = fileURLToPath(new URL("../../../docs/console/", import.meta.url));
/** Shows that the pictures can be taken, without replacing those of the documentation. */
const isQuick = process.env.REFLECT_SCREENSHOTS === "quick";
const THEMES = isQuick ? (["light"] as const) : (["light", "dark"] as const);

test.use({ slug: "support-desk" });

test("eight pages in both themes", async ({ page, project }) => {
  const { trace, memory } = await example(project);
  const pages: Record<string, { path: string; ready: () => Promise<unknown> }> = {
    overview: { path: "", ready: () => page.getByRole("region", { name: "Loop health" }).waitFor() },
    review: { path: "/review", ready: () => page.getByRole("region", { name: "Run" }).waitFor() },
    traces: { path: "/traces", ready: () => page.getByRole("checkbox").first().waitFor() },
    trace: { path: `/traces/${trace}`, ready: () => page.getByRole("article").first().waitFor() },
    memories: { path: "/memories?sort=evidence", ready: () => page.getByRole("checkbox").first().waitFor() },
    memory: { path: `/memories/${memory}`, ready: () => page.getByRole("heading", { level: 1 }).waitFor() },
    retrieve: { path: "/retrieve", ready: () => ask(page) },
    learning: { path: "/learning", ready: () => page.getByRole("heading", { level: 1 }).waitFor() },
  };
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const [name, { path, ready }] of Object.entries(pages)) {
      await page.goto(project.page(path));
      await ready();
      await waitUntilIdle(page);
      const file = `${name}-${theme}.png`;
      await page.screenshot({ path: isQuick ? test.info().outputPath(file) : `${FOLDER}${file}` });
    }
  }
});

async function ask(page: Page): Promise<void> {
  await page.getByLabel("Task").fill("The customer wants the money back for a cracked vase");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("complementary", { name: "Prompt text" }).waitFor();
}
