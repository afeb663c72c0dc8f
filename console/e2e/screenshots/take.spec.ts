// The pictures of the documentation: eight pages in both themes.
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { settled } from "../stage/settled";
import { test } from "../stage/test";
import { example } from "./example";

const FOLDER = fileURLToPath(new URL("../../../docs/console/", import.meta.url));

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
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const [name, { path, ready }] of Object.entries(pages)) {
      await page.goto(project.page(path));
      await ready();
      await settled(page);
      await page.screenshot({ path: `${FOLDER}${name}-${theme}.png` });
    }
  }
});

async function ask(page: Page): Promise<void> {
  await page.getByLabel("Task").fill("The customer wants the money back for a cracked vase");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("complementary", { name: "The answer as text" }).waitFor();
}
