// Keys of programs, people, and one's own keys.
import { told } from "../stage/desk";
import { expect, test } from "../stage/test";

test("a key: shown once, works, and stops working when it is revoked", async ({ page, project }) => {
  await page.goto(project.page("/settings/keys"));
  await page.getByLabel("What it is for").fill("nightly import");
  await page.getByRole("button", { name: "Make the key" }).click();
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
  await told(page, "nightly import was revoked.");
  await expect.poll(async () => (await call()).status).toBe(401);
});

test("a member: their link lets them in, and shutting them out ends their session", async ({
  browser,
  page,
  project,
}) => {
  await page.goto(project.page("/settings/members"));
  await page.getByLabel("Name").fill("cleo");
  await page.getByRole("radio", { name: /^Viewer/ }).check();
  await page.getByRole("button", { name: "Let them in" }).click();
  const link = await page.getByLabel("Sign-in link of cleo").inputValue();
  const other = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const cleo = await other.newPage();
  await cleo.goto(link);
  await cleo.getByRole("button", { name: "Sign in as cleo" }).click();
  await expect(cleo.getByRole("navigation", { name: "Main" })).toBeVisible();
  await page.getByRole("button", { name: /^Shut .*cleo/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: /Shut/ }).click();
  await expect
    .poll(async () => (await other.request.get(`${project.server}/console/api/session`)).status())
    .toBe(401);
  await other.close();
});

test("rule 4 of reviewing: keys are changed in the settings, and count at once", async ({
  page,
  project,
}) => {
  await project.send({ task: "Something" });
  await page.goto(project.page("/settings/keyboard"));
  await page.getByRole("button", { name: "Change the key of: Pass", exact: true }).click();
  await expect(page.getByLabel("Press the key or the chord in this field")).toBeFocused();
  await page.keyboard.press("v");
  await page.getByRole("button", { name: "Take it" }).click();
  await page.getByRole("link", { name: "Review" }).click();
  const pass = page
    .getByRole("complementary", { name: "Your verdict" })
    .getByRole("button", { name: "Pass" });
  await expect(pass.locator("kbd")).toHaveText("V");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Keyboard" }).click();
  await page.getByLabel(/^Letters and digits alone do something/).uncheck();
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect(page.getByRole("heading", { level: 1, name: "Keyboard" })).toBeVisible();
});
