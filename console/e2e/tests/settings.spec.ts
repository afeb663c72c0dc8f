// API keys, members, retention, and custom keys.
import { expectNotification } from "../support/review-page";
import { expect, test } from "../support/test";

test("a key: shown once, works, and stops working when it is revoked", async ({ page, project }) => {
  await page.goto(project.page("/settings/keys"));
  await page.getByLabel("Label").fill("nightly import");
  await page.getByRole("button", { name: "Create key" }).click();
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
  await ask.getByRole("button", { name: "Revoke key" }).click();
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
  await page.getByRole("button", { name: "Create invitation" }).click();
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

test("a rotated key: the new one works, and the old one for a day", async ({ page, project }) => {
  await page.goto(project.page("/settings/keys"));
  await page.getByLabel("Label").fill("nightly export");
  await page.getByRole("button", { name: "Create key" }).click();
  const old = await page.getByLabel("Key “nightly export”", { exact: true }).inputValue();
  await page.getByRole("button", { name: "Rotate nightly export" }).click();
  const ask = page.getByRole("dialog", { name: "Rotate nightly export?" });
  await ask.getByRole("button", { name: "Create new key" }).click();
  const key = await ask.getByLabel("New key “nightly export”").inputValue();
  await ask.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("expires soon")).toBeVisible();
  for (const text of [old, key]) {
    const answer = await fetch(`${project.server}/v1/projects/${project.slug}/traces`, {
      headers: { authorization: `Bearer ${text}` },
    });
    expect(answer.status).toBe(200);
  }
});

test("roles: a member of one project gets another role there, and loses it", async ({
  page,
  project,
  signIn,
}) => {
  const context = await signIn("mia", "viewer");
  const mia = await context.newPage();
  const mayReview = async () => {
    const answer = await context.request.get(`${project.server}/console/api/session`);
    const session = (await answer.json()) as { projects: { project_id: string; scopes: string[] }[] };
    const here = session.projects.find((one) => one.project_id === project.slug);
    return here?.scopes.includes("review:write") ?? false;
  };
  expect(await mayReview()).toBe(false);
  await mia.goto(project.page("/settings/members"));
  await expect(mia.getByText("As a viewer you cannot see or change the roles of members.")).toBeVisible();
  await expect(mia.getByRole("table", { name: "What each role may do" })).toBeVisible();

  await page.goto(project.page("/settings/members"));
  await page.getByLabel("Add a member").fill("mia");
  await page.getByLabel("Role in this project", { exact: true }).selectOption("reviewer");
  await page.getByRole("button", { name: "Add to project" }).click();
  const roles = page.getByRole("table", { name: "Roles in this project" });
  await expect(roles.getByRole("row", { name: /^mia/ }).getByText("reviewer", { exact: true })).toBeVisible();
  await expect.poll(mayReview).toBe(true);

  await roles.getByLabel("Role of mia").selectOption("");
  await expect.poll(mayReview).toBe(false);
  await page.getByLabel("Role of mia in all projects").selectOption("");
  await expect
    .poll(async () => {
      const path = `${project.server}/console/api/v1/projects/${project.slug}/traces`;
      return (await context.request.get(path)).status();
    })
    .toBe(404);
});

test("retention: each field sets the days of what its label names", async ({ page, project }) => {
  await page.goto(project.page("/settings/data"));
  await page.getByLabel("Runs, in days", { exact: true }).fill("90");
  await page.getByLabel("Messages of runs, in days").fill("30");
  await page.getByLabel("Records of retrievals, in days").fill("7");
  await page.getByRole("button", { name: "Save" }).click();
  await expectNotification(page, "Saved.");
  const { retention } = await project.call<{ retention: Record<string, number> }>("GET", "");
  expect(retention).toEqual({ traces_days: 90, bodies_days: 30, retrievals_days: 7 });
});

test("the audit log names who did what, also for the installation", async ({ page, project, signIn }) => {
  await page.goto(project.page("/settings/keys"));
  await page.getByLabel("Label").fill("audited");
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByLabel("Key “audited”")).toBeVisible();
  await page.goto(project.page("/settings/audit"));
  const newest = page.getByRole("row").nth(1);
  await expect(newest).toContainText("key.create");
  await expect(newest).toContainText("member:");
  // The page shows the newest 100 entries, and earlier tests can have written that many since the last sign-in.
  await signIn("noa", "viewer");
  await page.getByLabel("Show the log of the installation").check();
  await expect(page.getByRole("cell", { name: /session\.begin/ }).first()).toBeVisible();
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
