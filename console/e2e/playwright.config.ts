// One worker on purpose: the machines that run this have two cores, and figures are measured here. No second attempts:
// a test that passes sometimes says nothing.
import { defineConfig } from "@playwright/test";
import { chromium } from "./stage/browser";

export default defineConfig({
  testDir: "tests",
  workers: 1,
  retries: 0,
  forbidOnly: true,
  // Patience for machines that are taken away from their tests for seconds at a time; what must be fast is measured.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  outputDir: "../../test-results",
  reporter: [["list", { printSteps: false }], ["./stage/last-line.ts"]],
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
    // Waiting for ever would only end the test later, and say less.
    actionTimeout: 30_000,
    screenshot: "only-on-failure",
  },
});
