// Every address of the console and what has to be there before it is looked at. A route without an entry here fails the
// tests that go through all of them.
import type { Page } from "@playwright/test";
import type { Project } from "./project";

export type Scene = { project: Project; trace: string; memory: string };
type Entry = {
  /** The address, from what is there. Null for one that only leads elsewhere. */
  path: ((scene: Scene) => string) | null;
  /** The heading of the page. */
  title: string | RegExp;
  /** Something that comes later than the heading. */
  ready?: (page: Page) => Promise<void>;
  /** Other states of the same page, each by what leads to it. */
  states?: Readonly<Record<string, (page: Page) => Promise<void>>>;
};

const at = (path: string) => (scene: Scene) => `/p/${scene.project.slug}${path}`;
const setting = (path: string, title: string): Entry => ({ path: at(`/settings/${path}`), title });
const press =
  (...keys: string[]) =>
  async (page: Page) => {
    for (const key of keys) await page.keyboard.press(key);
  };
const dialog =
  (...keys: string[]) =>
  async (page: Page) => {
    await press(...keys)(page);
    await page.getByRole("dialog").waitFor();
  };

export const ROUTES: Readonly<Record<string, Entry>> = {
  "/": { path: null, title: "" },
  "/p/$project": {
    path: at(""),
    title: "Overview",
    ready: (page) => page.getByRole("region", { name: /^(Loop|First memory)$/ }).waitFor(),
  },
  "/p/$project/review": {
    path: at("/review"),
    title: "Review",
    ready: (page) => page.getByRole("region", { name: "Run" }).waitFor(),
    states: {
      failing: async (page) => {
        await page.getByRole("button", { name: "Fail", exact: true }).click();
        await page.getByLabel("What was wrong?").fill("bad");
      },
      deferring: async (page) => {
        await press("Escape", "d")(page);
        await page.getByRole("button", { name: "Tomorrow" }).waitFor();
      },
      "whole run": async (page) => {
        await press("Escape", "o")(page);
        await page.getByRole("article").first().waitFor();
      },
      "list of actions": dialog("Control+k"),
      keys: async (page) => {
        await press("Escape")(page);
        await page.getByRole("dialog").waitFor({ state: "hidden" });
        await dialog("?")(page);
      },
      bulk: async (page) => {
        await press("Escape")(page);
        await page.getByRole("dialog").waitFor({ state: "hidden" });
        await dialog("a")(page);
        await page.getByText(/runs? gets? a pass/).waitFor();
      },
    },
  },
  "/p/$project/traces": {
    path: at("/traces"),
    title: "Traces",
    ready: (page) => page.getByRole("checkbox").first().waitFor(),
    states: {
      "peek and selection": async (page) => {
        await press("j", "p", "x")(page);
        await page
          .getByRole("complementary", { name: "Peek" })
          .getByRole("heading", { name: "Task" })
          .waitFor();
      },
      "filtered to nothing": async (page) => {
        await page.getByRole("combobox", { name: "Filter traces" }).fill("nosuchword");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "No trace matches" }).waitFor();
      },
    },
  },
  "/p/$project/traces/$trace": {
    path: (scene) => at(`/traces/${scene.trace}`)(scene),
    title: "Trace",
    ready: (page) => page.getByRole("article").first().waitFor(),
    states: {
      steps: async (page) => {
        await press("l")(page);
        await page.getByRole("button", { name: "Steps", pressed: true }).waitFor();
      },
      raw: async (page) => {
        await press("r")(page);
        await page.getByRole("region", { name: "Raw trace" }).waitFor();
      },
    },
  },
  "/p/$project/memories": {
    path: at("/memories"),
    title: "Memories",
    ready: (page) => page.getByRole("checkbox").first().waitFor(),
    states: {
      "filtered to nothing": async (page) => {
        await page.getByRole("combobox", { name: "Filter memories" }).fill("nosuchword");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "No memory matches" }).waitFor();
      },
    },
  },
  "/p/$project/memories/$memory": {
    path: (scene) => at(`/memories/${scene.memory}`)(scene),
    title: "Dates are UTC.",
    states: { edit: dialog("e") },
  },
  "/p/$project/retrieve": {
    path: at("/retrieve"),
    title: "Retrieve",
    states: {
      answer: async (page) => {
        await page.getByLabel("Task").fill("Book a meeting");
        await page.keyboard.press("Control+Enter");
        await page.getByRole("complementary", { name: "The answer as text" }).waitFor();
      },
    },
  },
  "/p/$project/learning": { path: at("/learning"), title: "Learning" },
  "/p/$project/settings": { path: null, title: "" },
  "/p/$project/settings/project": setting("project", "Project"),
  "/p/$project/settings/keys": setting("keys", "API keys"),
  "/p/$project/settings/members": setting("members", "Members"),
  "/p/$project/settings/judge": setting("judge", "Judge"),
  "/p/$project/settings/embedding": setting("embedding", "Embedding model"),
  "/p/$project/settings/data": setting("data", "Data and retention"),
  "/p/$project/settings/actions": setting("actions", "Actions"),
  "/p/$project/settings/keyboard": setting("keyboard", "Keyboard"),
  "/p/$project/settings/system": setting("system", "System"),
};

/** The addresses that the router of the running page knows. */
export async function routesOf(page: Page): Promise<string[]> {
  const known = await page.evaluate(() => {
    const { __TSR_ROUTER__ } = window as unknown as { __TSR_ROUTER__: { routesByPath: object } };
    return Object.keys(__TSR_ROUTER__.routesByPath);
  });
  return [...new Set(known.map((path) => (path === "/" ? path : path.replace(/\/$/, ""))))];
}
