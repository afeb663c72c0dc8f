// From the first log line to the first memory, on a new installation.
import { printMeasurement } from "../support/measurements";
import { Server } from "../support/server";
import { expect, test } from "../support/test";

const BUDGET_MS = 90_000;

test.use({ storageState: { cookies: [], origins: [] } });
test.setTimeout(300_000);

test("setup link, first member, project, key, a run, its review, the first memory, seen in use", async ({
  context,
  guard,
}) => {
  const began = performance.now();
  const server = await Server.start();
  guard.allowOrigin(server.url);
  try {
    const page = await context.newPage();
    await page.goto(await server.setupLink());
    await page.getByLabel(/Your name/).fill("ana");
    await page.getByRole("button", { name: "Begin" }).click();
    await expect(page.getByRole("heading", { name: "Welcome, ana" })).toBeVisible();
    await page.getByLabel(/Its name/).fill("support");
    await page.getByRole("button", { name: "Create project" }).click();

    await page.getByRole("button", { name: "Create a key" }).click();
    const key = await page.getByLabel("Key for the first program").inputValue();
    expect(key).toMatch(/^rf_live_/);
    await expect(page.getByText("Waiting for the first run.")).toBeVisible();

    // The same calls as the published SDK.
    const stored = await fetch(`${server.url}/v1/projects/support/traces`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        task: "Refund order 1182, the item arrived broken",
        trajectory: [
          { role: "user", content: "Refund order 1182, the item arrived broken" },
          { role: "assistant", content: "240.00 is on its way to the original card." },
        ],
        final_response: "240.00 is on its way to the original card.",
        retrieved_memory_ids: [],
      }),
    });
    expect(stored.status).toBe(201);
    await expect(page.getByText(/^A run was stored/)).toBeVisible();
    await page.getByRole("link", { name: "Review the run", exact: true }).click();

    await expect(page.getByRole("heading", { name: "Was this correct?" })).toBeVisible();
    const verdict = page.getByRole("complementary", { name: "Your verdict" });
    await verdict.getByRole("button", { name: "Fail" }).click();
    await page.getByLabel("What was wrong?").fill("The order cost 24.00. Look the price up first.");
    await page.keyboard.press("Control+Enter");
    await expect(page.getByText(/^1 done, /)).toBeVisible();

    await page.getByRole("link", { name: "Overview" }).click();
    // The lesson is written after the grace period of 15 seconds.
    const lesson = page.getByRole("listitem").filter({ hasText: "The first lesson (done)" });
    await expect(lesson).toContainText("Look the price up first", { timeout: 60_000 });
    await page.getByRole("link", { name: "See the lesson in use" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Retrieve" })).toBeVisible();
    await expect(page.getByText("Look the price up first").first()).toBeVisible();
    const took = performance.now() - began;
    printMeasurement("from nothing to the first memory in use", took / 1000, "s", BUDGET_MS / 1000);
    expect(took).toBeLessThanOrEqual(BUDGET_MS);
  } finally {
    await context.close();
    await server.stop();
  }
});
