// How long the page was busy at a stretch. By the processor time of its main thread and not by the clock: on a machine
// that does other things too, the clock measures those.
import type { Browser, Page } from "@playwright/test";

type Event = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
};

export type Busy = {
  /** The longest task in processor time, in ms. */
  longest: number;
  /** The same by the clock. */
  longestByClock: number;
};

/** The longest stretch for which the main thread of the page did one thing while `work` was going on. */
export async function busiest(browser: Browser, page: Page, work: () => Promise<void>): Promise<Busy> {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: Event[] };
  const main = new Set(
    traceEvents
      .filter((event) => event.name === "thread_name" && event.args?.name === "CrRendererMain")
      .map((event) => `${event.pid}/${event.tid}`),
  );
  const tasks = traceEvents.filter(
    (event) => event.ph === "X" && event.name.endsWith("RunTask") && main.has(`${event.pid}/${event.tid}`),
  );
  if (tasks.length === 0) throw new Error("the browser noted no task");
  const most = (values: number[]) => Math.max(...values) / 1000;
  return {
    longest: most(tasks.map((task) => task.tdur ?? task.dur ?? 0)),
    longestByClock: most(tasks.map((task) => task.dur ?? 0)),
  };
}
