// The example project of `reflect demo`, and the pages that show it.
import type { Page } from "@playwright/test";
import type { Project } from "../support/project";
import type { Server } from "../support/server";

const TASK = "The customer wants the money back for a cracked vase";

/** Fills the project `demo` as a user would, with the command. */
export async function loadDemo(server: Server, key: string): Promise<void> {
  await server.longCommand("demo", "--base-url", server.url, "--api-key", key);
}

type DemoPage = { path: string; ready: (page: Page) => Promise<unknown> };

const heading = (page: Page) => page.getByRole("heading", { level: 1 }).waitFor();
const row = (page: Page) => page.getByRole("checkbox").first().waitFor();

/** Pages with content, by name. */
export async function demoPages(project: Project): Promise<Record<string, DemoPage>> {
  const [trace] = await project.call<{ id: string }[]>("GET", "/traces?limit=1");
  const [lesson] = await project.call<{ id: string; speaker_id: string }[]>(
    "GET",
    "/lessons?sort=evidence&limit=1",
  );
  if (trace === undefined || lesson === undefined) throw new Error("the example project is empty");
  return {
    overview: {
      path: "",
      ready: (page) => page.getByRole("region", { name: "Loop health" }).waitFor(),
    },
    review: { path: "/review", ready: (page) => page.getByRole("region", { name: "Run" }).waitFor() },
    traces: { path: "/traces", ready: row },
    trace: {
      path: `/traces/${trace.id}`,
      ready: (page) => page.getByRole("article").first().waitFor(),
    },
    memories: { path: "/memories", ready: row },
    lesson: {
      path: `/lessons/${lesson.id}`,
      ready: (page) => page.getByRole("table", { name: "Situations" }).waitFor(),
    },
    memory: { path: `/memories/${lesson.speaker_id}`, ready: heading },
    retrieve: {
      path: `/retrieve?task=${encodeURIComponent(TASK)}`,
      ready: (page) => page.getByRole("complementary", { name: "Prompt text" }).waitFor(),
    },
    learning: { path: "/learning", ready: heading },
    judge: { path: "/settings/judge", ready: heading },
  };
}
