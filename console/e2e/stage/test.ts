// What every test stands on: one server per worker, and a project, a signed-in page and a watch of its own per test.
import { type Browser, type BrowserContext, expect, test as bare } from "@playwright/test";
import { randomBytes } from "node:crypto";
import { Project } from "./project";
import { Server } from "./server";
import { slowDown } from "./slow";
import { Watch } from "./watch";

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;
type Installation = {
  server: Server;
  /** A key for every project. */
  key: string;
  /** The cookie of ana, the first admin. */
  ana: State;
};
/** Another person at another machine. */
type SignIn = (name: string, role: "reviewer" | "viewer" | "developer") => Promise<BrowserContext>;

export const test = bare.extend<
  { slug: string | null; project: Project; watch: Watch; signIn: SignIn },
  { installation: Installation }
>({
  installation: [
    async ({ browser }, use) => {
      const server = await Server.start();
      try {
        const ana = await becomeFirst(browser, await server.setupLink());
        const key = server.command("keys", "create", "--master", "--label", "e2e");
        await use({ server, key, ana });
      } finally {
        await server.stop();
      }
    },
    { scope: "worker", timeout: 180_000 },
  ],

  storageState: async ({ installation }, use) => use(installation.ana),

  watch: [
    async ({ context, installation }, use) => {
      slowDown(context);
      const watch = new Watch(installation.server.url);
      await watch.over(context);
      await use(watch);
      expect(watch.seen).toEqual([]);
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

  signIn: async ({ browser, installation, watch }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (name, role) => {
      const { server } = installation;
      const link = server.command("members", "link", "--name", name, "--role", role);
      // Without ana's cookie, which new contexts get like the first one.
      const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
      opened.push(context);
      slowDown(context);
      await watch.over(context);
      const page = await context.newPage();
      // The command line does not know where this server listens.
      await page.goto(`${server.url}/login${new URL(link).search}`);
      await page.getByRole("button", { name: `Sign in as ${name}` }).click();
      // The page that asks has a heading too.
      await page.waitForURL((url) => url.pathname !== "/login");
      await page.close();
      return context;
    });
    await Promise.all(opened.map((context) => context.close()));
  },
});

async function becomeFirst(browser: Browser, link: string): Promise<State> {
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
