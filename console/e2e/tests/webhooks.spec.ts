// Webhooks: created with a secret that is shown once, tested, disabled and deleted.
import { expectNotification } from "../support/review-page";
import { expect, test } from "../support/test";

test("a webhook: its secret is shown once, and every attempt to reach it is listed", async ({
  page,
  project,
}) => {
  await page.goto(project.page("/settings/webhooks"));
  await expect(page.getByText("No webhooks yet.")).toBeVisible();
  // A name that does not exist: the attempt fails on every machine.
  await page.getByLabel("Address").fill("https://hooks.invalid/reflect");
  await page.getByRole("checkbox", { name: /A memory was created/ }).check();
  await page.getByLabel("Description").fill("log channel");
  await page.getByRole("button", { name: "Create webhook" }).click();
  const secret = await page.getByLabel("Secret for https://hooks.invalid/reflect").inputValue();
  expect(secret).toMatch(/^whsec_/);
  await page.reload();
  const webhook = page.getByRole("listitem").filter({ hasText: "log channel" });
  await expect(webhook).toContainText("memory.created");
  expect(await page.content()).not.toContain(secret);

  await webhook.getByRole("button", { name: "Send test: log channel" }).click();
  await expectNotification(page, "A test is on its way to log channel.");
  const delivery = webhook.getByRole("row").filter({ hasText: "webhook.test" });
  await expect(delivery).toContainText("cannot connect");
  // A test is tried once.
  await expect(delivery).toContainText("failed");

  await webhook.getByRole("button", { name: "Disable: log channel" }).click();
  await expect(webhook.getByText("disabled", { exact: true })).toBeVisible();
  await webhook.getByRole("button", { name: "Delete: log channel" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete webhook" }).click();
  await expectNotification(page, "The webhook was deleted.");
  await expect(page.getByText("No webhooks yet.")).toBeVisible();
});

test("an address that is not on the public internet is refused with the reason", async ({
  page,
  project,
  guard,
}) => {
  guard.allow(/status of 422/);
  await page.goto(project.page("/settings/webhooks"));
  await page.getByLabel("Address").fill("https://169.254.169.254/latest");
  await page.getByRole("checkbox", { name: /Runs wait for a review/ }).check();
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByText(/must name a host on the public internet/)).toBeVisible();
  await expect(page.getByText("No webhooks yet.")).toBeVisible();
});
