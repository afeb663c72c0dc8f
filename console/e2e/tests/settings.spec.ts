// API keys, members, and custom keys.
import { expectNotification } from "../support/review-page";
import { expect, test } from "../support/test";

test("a key: shown once, works, and stops working when it is revoked", async ({ page, project }) => {
  await page.goto(project.page("/settings/keys"));
  await page.getByLabel("Label").fill("nightly import");
  await page.getByRole("button", { name: "Create the key" }).click();
  const key = await page.getByLabel("Key “nightly import”").inputValue();
  const call = () =>
    fetch(`${project.server}/v1/projects/${project.slug}/memory/query`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ task: "anything" }),
    });
  expect((await call()).status).toBe(200);
  await page.reload();
  await expect(page.getByText("nightly import")).toBeVisible();
  expect(await page.content()).not.toContain(key);

  await page.getByRole("button", { name: "Revoke nightly import" }).click();
  const ask = page.getByRole("dialog", { name: "Revoke nightly import?" });
  expect((await call()).status).toBe(200);
  await ask.getByRole("button", { name: "Revoke the key" }).click();
  await expectNotification(page, "nightly import was revoked.");
  await expect.poll(async () => (await call()).status).toBe(401);
});

test("a member: the link signs them in, and disabling them ends their session", async ({
  browser,
  page,
  project,
}) => {
  await page.goto(project.page("/settings/members"));
  await page.getByLabel("Name").fill("cleo");
  await page.getByRole("radio", { name: /^Viewer/ }).check();
  await page.getByRole("button", { name: "Add the member" }).click();
  const link = await page.getByLabel("Sign-in link for cleo").inputValue();
  const other = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const cleo = await other.newPage();
  await cleo.goto(link);
  await cleo.getByRole("button", { name: "Sign in as cleo" }).click();
  await expect(cleo.getByRole("navigation", { name: "Main" })).toBeVisible();
  await page.getByRole("button", { name: /^Disable .*cleo/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Disable/ })
    .click();
  await expect
    .poll(async () => (await other.request.get(`${project.server}/console/api/session`)).status())
    .toBe(401);
  await other.close();
});

test("rule 4 of reviewing: keys are changed in the settings, and work at once", async ({ page, project }) => {
  await project.send({ task: "Something" });
  await page.goto(project.page("/settings/keyboard"));
  await page.getByRole("button", { name: "Change the key of: Pass", exact: true }).click();
  await expect(page.getByLabel("Press the key or the key combination in this field")).toBeFocused();
  await page.keyboard.press("v");
  await page.getByRole("button", { name: "Use this key" }).click();
  await page.getByRole("link", { name: "Review" }).click();
  const pass = page
    .getByRole("complementary", { name: "Your verdict" })
    .getByRole("button", { name: "Pass" });
  await expect(pass.locator("kbd")).toHaveText("V");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Keyboard" }).click();
  await page.getByLabel(/^Enable single-letter and digit keys/).uncheck();
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect(page.getByRole("heading", { level: 1, name: "Keyboard" })).toBeVisible();
});
