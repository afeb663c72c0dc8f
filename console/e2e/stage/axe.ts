// Accessibility by axe, as a list of what is wrong in words.
import type { Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

type Found = { id: string; nodes: { target: string[]; failureSummary?: string }[] };
type Axe = { run: (where: Document, options: object) => Promise<{ violations: Found[]; passes: unknown[] }> };

export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const found = await page.evaluate(
    async (rules) => (window as unknown as { axe: Axe }).axe.run(document, { runOnly: rules }),
    RULES,
  );
  // A check that looked at nothing is none.
  if (found.passes.length === 0) throw new Error("axe found nothing to look at");
  return found.violations.map((one) => {
    const [first] = one.nodes;
    return `${one.id} × ${one.nodes.length}: ${first?.target.join(" ")} ${first?.failureSummary?.slice(0, 300)}`;
  });
}
