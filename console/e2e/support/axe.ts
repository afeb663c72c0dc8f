// Accessibility checks with axe, as a list of violations.
import type { Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const COLOURS = ["color-contrast", "link-in-text-block"];

type Found = { id: string; nodes: { target: string[]; failureSummary?: string }[] };
type Axe = { run: (where: Document, options: object) => Promise<{ violations: Found[]; passes: unknown[] }> };

/** Violations in both themes. The themes differ only in colours, so other rules run once. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await look(page, { type: "tag", values: RULES });
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await look(page, { type: "rule", values: COLOURS });
  await page.emulateMedia({ colorScheme: "light" });
  return [...light.map((one) => `light: ${one}`), ...dark.map((one) => `dark: ${one}`)];
}

async function look(page: Page, what: { type: string; values: string[] }): Promise<string[]> {
  const found = await page.evaluate(
    async (runOnly) => (window as unknown as { axe: Axe }).axe.run(document, { runOnly }),
    what,
  );
  // A check without any matching element proves nothing.
  if (found.passes.length === 0) throw new Error("axe found no element to check");
  return found.violations.map((one) => {
    const [first] = one.nodes;
    return `${one.id} × ${one.nodes.length}: ${first?.target.join(" ")} ${first?.failureSummary?.slice(0, 300)}`;
  });
}
