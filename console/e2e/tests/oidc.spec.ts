// Sign-in with an identity provider, against the certified provider of npm.
import type { BrowserContext, Page } from "@playwright/test";
import { IdentityProvider } from "../support/identity-provider";
import type { Server } from "../support/server";
import { expect, test as bare } from "../support/test";

type Fixtures = {
  /** A browser without a session, whose requests to the provider are allowed. */
  person: () => Promise<Page>;
};

const test = bare.extend<Fixtures, { corp: { provider: IdentityProvider; server: Server } }>({
  corp: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern.
    async ({}, use) => {
      const provider = await IdentityProvider.start();
      const server = await provider.server();
      server.command("projects", "create", "support");
      try {
        await use({ provider, server });
      } finally {
        await server.stop();
        provider.stop();
      }
    },
    { scope: "worker", timeout: 180_000 },
  ],

  person: async ({ browser, corp, guard }, use) => {
    guard.allowOrigin(corp.server.url);
    guard.allowOrigin(corp.provider.issuer);
    // The provider's own page loads a font.
    guard.allow(/fonts\.googleapis\.com/);
    // Pages that refuse a sign-in, and a console whose session has ended.
    guard.allow(/Failed to load resource.* (401|403|502)/);
    guard.allow(/CallFailed: Your session has ended/);
    const opened: BrowserContext[] = [];
    await use(async () => {
      const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
      opened.push(context);
      await guard.attach(context);
      await context.route("https://fonts.googleapis.com/**", (route) => route.fulfill({ body: "" }));
      return context.newPage();
    });
    await Promise.all(opened.map((context) => context.close()));
  },
});

const SUPPORT = { email: "someone@example.com", groups: ["support"] };

test("sign-in: a member with the roles of their groups, also on a phone", async ({ corp, person }) => {
  await corp.provider.account("ana", { ...SUPPORT, name: "Ana Pérez", email: "ana@example.com" });
  const page = await person();
  await page.setViewportSize({ width: 390, height: 844 });

  await page.goto(`${corp.server.url}/login`);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await signIn(page, "ana");

  const me = await session(page, corp.server);
  expect(me.member.name).toBe("Ana Pérez");
  expect(me.projects.map((project) => project.project_id)).toEqual(["support"]);
  expect(me.session.provider).toBe("corp");
  const hours = (Date.parse(me.session.expires_at) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(11.9);
  expect(hours).toBeLessThanOrEqual(12);
});

test("an admin group gives all projects", async ({ corp, person }) => {
  await corp.provider.account("root", { name: "Root", email: "r@example.com", groups: ["reflect-admins"] });
  const page = await person();

  await page.goto(`${corp.server.url}/login`);
  await signIn(page, "root");

  const me = await session(page, corp.server);
  expect(me.member.manages_members).toBe(true);
});

test("wrong domain, unverified address and no group are refused with the reason", async ({
  corp,
  person,
}) => {
  const { provider, server } = corp;
  const refused = async (login: string) => {
    const page = await person();
    await page.goto(`${server.url}/login`);
    await signIn(page, login, false);
    return page.getByRole("alert").innerText();
  };

  await provider.account("eve", { ...SUPPORT, name: "Eve", email: "eve@evil.example" });
  expect(await refused("eve")).toContain("E-mail addresses of evil.example may not sign in");
  await provider.account("mal", { ...SUPPORT, name: "Mal", verified: false });
  expect(await refused("mal")).toContain("did not confirm your e-mail address");
  await provider.account("zoe", { ...SUPPORT, name: "Zoe", groups: ["other"] });
  expect(await refused("zoe")).toContain("None of your groups at Example SSO has access");
  const members = server.command("members", "list");
  for (const name of ["Eve", "Mal", "Zoe"]) expect(members).not.toContain(name);
});

test("a removed group ends all sessions at the next sign-in, until the group is back", async ({
  corp,
  person,
}) => {
  const { provider, server } = corp;
  await provider.account("bo", { ...SUPPORT, name: "Bo" });
  const [desk, phone] = [await person(), await person()];
  await desk.goto(`${server.url}/login`);
  await signIn(desk, "bo");

  await provider.account("bo", { ...SUPPORT, name: "Bo", groups: [] });
  await phone.goto(`${server.url}/login`);
  await signIn(phone, "bo", false);
  await expect(phone.getByRole("alert")).toContainText("None of your groups");
  await expect.poll(async () => sessionStatus(desk, server)).toBe(401);

  await provider.account("bo", { ...SUPPORT, name: "Bo" });
  await phone.goto(`${server.url}/login/corp`);
  await expect.poll(async () => sessionStatus(phone, server)).toBe(200);
});

test("rotated keys are fetched again", async ({ corp, person }) => {
  const { provider, server } = corp;
  await provider.account("cy", { ...SUPPORT, name: "Cy" });
  const [before, after] = [await person(), await person()];
  await before.goto(`${server.url}/login`);
  await signIn(before, "cy");

  await provider.rotateKeys();
  await after.goto(`${server.url}/login`);
  await signIn(after, "cy");

  expect((await session(after, server)).member.name).toBe("Cy");
});

test("an expired session leads to the sign-in page, and back without a password", async ({
  corp,
  person,
}) => {
  const { provider, server } = corp;
  await provider.account("di", { ...SUPPORT, name: "Di" });
  const page = await person();
  await page.goto(`${server.url}/login`);
  await signIn(page, "di");
  const { id } = (await session(page, server)).session;

  server.sql(`update session set expires_at = now() where session_id = '${id}'`);
  await expect.poll(async () => sessionStatus(page, server)).toBe(401);
  await page.goto(`${server.url}/p/support`);
  await page.getByRole("link", { name: "Sign in with Example SSO" }).click();
  await expect.poll(async () => sessionStatus(page, server)).toBe(200);
});

test("sign-out: here, and at the provider", async ({ corp, person }) => {
  const { provider, server } = corp;
  await provider.account("ed", { ...SUPPORT, name: "Ed" });
  const page = await person();
  await page.goto(`${server.url}/login`);
  await signIn(page, "ed");

  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("searchbox", { name: "Search actions" })).toBeFocused();
  await page.keyboard.type("Sign out");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "You are signed out of Reflect" })).toBeVisible();
  expect(await sessionStatus(page, server)).toBe(401);

  await page.getByRole("link", { name: "Sign out at Example SSO" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.waitForURL(`${server.url}/login**`);
  await page.getByRole("link", { name: "Sign in with Example SSO" }).click();
  await expect(page.getByPlaceholder("Enter any login")).toBeVisible();
});

test("a provider that does not respond, and an answer of another browser", async ({ corp, person }) => {
  const page = await person();
  await page.goto(`${corp.server.url}/login`);
  await page.getByRole("link", { name: "Sign in with Broken SSO" }).click();
  await expect(page.getByRole("alert")).toContainText("Broken SSO cannot be reached");

  await page.goto(`${corp.server.url}/login/corp/callback?code=stolen&state=guessed`);
  await expect(page.getByRole("alert")).toContainText("was started in another browser");
});

/** Signs in at the provider and confirms. */
async function signIn(page: Page, login: string, allowed = true): Promise<void> {
  const here = new URL(page.url()).origin;
  await page.getByRole("link", { name: "Sign in with Example SSO" }).click();
  await page.getByPlaceholder("Enter any login").fill(login);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  if (allowed) await page.waitForURL((url) => url.origin === here && !url.pathname.startsWith("/login"));
  else await page.getByRole("alert").waitFor();
}

type Session = {
  member: { name: string; manages_members: boolean };
  projects: { project_id: string }[];
  session: { id: string; expires_at: string; provider: string | null };
};

async function session(page: Page, server: Server): Promise<Session> {
  const answer = await page.context().request.get(`${server.url}/console/api/session`);
  expect(answer.status()).toBe(200);
  return (await answer.json()) as Session;
}

async function sessionStatus(page: Page, server: Server): Promise<number> {
  return (await page.context().request.get(`${server.url}/console/api/session`)).status();
}
