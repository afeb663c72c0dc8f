// Every route of the console and how to reach its states. Pages and settings sections come from the registry of the
// app. An entry here is needed only for a route with parameters, for a page that loads after its heading, or for further
// states of a page.
import type { Page } from "@playwright/test";
import { SECTIONS } from "../../app/src/features/settings/sections";
import { PAGES } from "../../app/src/pages";
import { en } from "../../app/src/texts/en";
import type { Project } from "./project";

export type Fixture = { project: Project; trace: string; memory: string };
type Entry = {
  /** The path of the page. Null for a route that only redirects. */
  path: ((fixture: Fixture) => string) | null;
  /** The heading of the page. */
  title: string | RegExp;
  /** Waits for content that loads after the heading. */
  ready?: (page: Page) => Promise<void>;
  /** Further states of the page, each with the steps that lead to it. */
  states?: Readonly<Record<string, (page: Page) => Promise<void>>>;
};

const at = (path: string) => (fixture: Fixture) => `/p/${fixture.project.slug}${path}`;
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

/** What the registry does not know. */
const DETAILS: Readonly<Record<string, Partial<Entry>>> = {
  "/": { path: null, title: "" },
  "/p/$project": {
    ready: (page) => page.getByRole("region", { name: /^(Loop|First lesson)$/ }).waitFor(),
  },
  "/p/$project/review": {
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
      "full run": async (page) => {
        await press("Escape", "o")(page);
        await page.getByRole("article").first().waitFor();
      },
      "command palette": dialog("Control+k"),
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
    ready: (page) => page.getByRole("checkbox").first().waitFor(),
    states: {
      "preview and selection": async (page) => {
        await press("j", "p", "x")(page);
        await page
          .getByRole("complementary", { name: "Preview" })
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
    path: (fixture) => at(`/traces/${fixture.trace}`)(fixture),
    title: "Trace",
    ready: async (page) => {
      await page.getByRole("article").first().waitFor();
      await page.getByText("Merges", { exact: true }).waitFor();
    },
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
    ready: (page) => page.getByRole("checkbox").first().waitFor(),
    states: {
      "filtered to nothing": async (page) => {
        await page.getByRole("combobox", { name: "Filter lessons" }).fill("nosuchword");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "No lesson matches" }).waitFor();
      },
      situations: async (page) => {
        await page.getByRole("button", { name: "Clear the filter" }).click();
        await page.getByRole("link", { name: "Situations" }).click();
        await page.getByRole("combobox", { name: "Filter memories" }).waitFor();
        await page.getByRole("checkbox").first().waitFor();
      },
    },
  },
  "/p/$project/lessons/$lesson": {
    // The id of a lesson is that of its first memory.
    path: (fixture) => at(`/lessons/${fixture.memory}`)(fixture),
    title: "Dates are UTC.",
    ready: (page) => page.getByRole("table", { name: "Situations" }).waitFor(),
    states: {
      selection: async (page) => {
        await page.getByRole("checkbox").first().check();
        await page.getByText("1 selected").waitFor();
      },
      group: dialog("m"),
    },
  },
  "/p/$project/memories/$memory": {
    path: (fixture) => at(`/memories/${fixture.memory}`)(fixture),
    title: "Dates are UTC.",
    states: { edit: dialog("e") },
  },
  "/p/$project/retrieve": {
    states: {
      answer: async (page) => {
        await page.getByLabel("Task").fill("Book a meeting");
        await page.keyboard.press("Control+Enter");
        await page.getByRole("complementary", { name: "Prompt text" }).waitFor();
      },
    },
  },
  "/p/$project/settings": { path: null, title: "" },
  "/p/$project/settings/signals": {
    ready: (page) => page.getByRole("listitem", { name: "Merges" }).waitFor(),
    states: {
      "changing a rule": async (page) => {
        await page.getByRole("button", { name: "Change the rule of Merges" }).click();
        await page.getByLabel("Wait after a pass, in hours").fill("-1");
      },
    },
  },
};

const routes: Record<string, Entry> = {};
for (const { path, name } of PAGES)
  routes[`/p/$project${path}`] = { path: at(path), title: en.shell.pages[name] };
for (const { path } of SECTIONS)
  routes[`/p/$project/settings/${path}`] = {
    path: at(`/settings/${path}`),
    title: en.settings.sections.names[path],
  };
for (const [route, details] of Object.entries(DETAILS))
  routes[route] = { path: null, title: "", ...routes[route], ...details };

export const ROUTES: Readonly<Record<string, Entry>> = routes;

/** The routes known to the router of the running page. */
export async function routesOf(page: Page): Promise<string[]> {
  const known = await page.evaluate(() => {
    const { __TSR_ROUTER__ } = window as unknown as { __TSR_ROUTER__: { routesByPath: object } };
    return Object.keys(__TSR_ROUTER__.routesByPath);
  });
  return [...new Set(known.map((path) => (path === "/" ? path : path.replace(/\/$/, ""))))];
}
