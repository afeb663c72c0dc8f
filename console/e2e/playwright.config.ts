// Two workers, each with its own server, for what a page does; then one worker for what is measured, because the test
// machines have two cores. No retries: a test that passes only sometimes proves nothing.
import { defineConfig } from "@playwright/test";
import { chromium } from "./support/browser";

const MEASURED = /(budgets|large|review-speed)\.spec\.ts$/;

export default defineConfig({
  testDir: "tests",
  workers: 2,
  projects: [
    { name: "pages", testIgnore: MEASURED, fullyParallel: true },
    { name: "measured", testMatch: MEASURED, workers: 1, dependencies: ["pages"] },
  ],
  retries: 0,
  forbidOnly: true,
  // Generous timeouts, because a shared machine can stall for seconds. Speed is measured separately.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  outputDir: "../../test-results",
  reporter: [["list", { printSteps: false }], ["./support/summary-reporter.ts"]],
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    launchOptions: {
      executablePath: chromium(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
      ],
    },
    // An action without a timeout would only end with the test, with a less helpful message.
    actionTimeout: 30_000,
    screenshot: "only-on-failure",
  },
});
