// The fixtures of every test: one server per worker; a project, a signed-in page and a page guard per test.
import { type Browser, type BrowserContext, expect, test as bare } from "@playwright/test";
import { randomBytes } from "node:crypto";
import { Project } from "./project";
import { Server } from "./server";
import { slowDown } from "./slow";
import { PageGuard } from "./page-guard";

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;
type Installation = {
  server: Server;
  /** A master key. */
  key: string;
  /** The session of ana, the first admin. */
  ana: State;
};
/** Signs in another member in a separate browser context. */
type SignIn = (name: string, role: "reviewer" | "viewer" | "maintainer") => Promise<BrowserContext>;

export const test = bare.extend<
  { slug: string | null; project: Project; guard: PageGuard; signIn: SignIn },
  { installation: Installation }
>({
  installation: [
    async ({ browser }, use) => {
      const server = await Server.start();
      try {
        const ana = await createFirstAdmin(browser, await server.setupLink());
        const key = server.command("keys", "create", "--master", "--label", "e2e");
        await use({ server, key, ana });
      } finally {
        await server.stop();
      }
    },
    { scope: "worker", timeout: 180_000 },
  ],

  storageState: async ({ installation }, use) => use(installation.ana),

  guard: [
    async ({ context, installation }, use) => {
      slowDown(context);
      const guard = new PageGuard(installation.server.url);
      await guard.attach(context);
      await use(guard);
      expect(guard.violations).toEqual([]);
    },
    { auto: true },
  ],

  slug: [null, { option: true }],

  project: async ({ context, installation, slug: chosen }, use) => {
    const { server, key } = installation;
    const slug = chosen ?? `e2e-${randomBytes(4).toString("hex")}`;
    const made = await context.request.post(`${server.url}/console/api/projects`, {
      data: { project_id: slug },
      headers: { origin: server.url },
    });
    expect(made.status()).toBe(201);
    await use(new Project(server.url, slug, key));
  },

  signIn: async ({ browser, installation, guard }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (name, role) => {
      const { server } = installation;
      const link = server.command("members", "link", "--name", name, "--role", role);
      // Without ana's session, which new contexts would inherit.
      const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
      opened.push(context);
      slowDown(context);
      await guard.attach(context);
      const page = await context.newPage();
      // The CLI does not know the address of this server.
      await page.goto(`${server.url}/login${new URL(link).search}`);
      await page.getByRole("button", { name: `Sign in as ${name}` }).click();
      // The login page also has a heading.
      await page.waitForURL((url) => url.pathname !== "/login");
      await page.close();
      return context;
    });
    await Promise.all(opened.map((context) => context.close()));
  },
});

async function createFirstAdmin(browser: Browser, link: string): Promise<State> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel(/Your name/).fill("ana");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByRole("heading", { name: "Welcome, ana" }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

export { expect };
