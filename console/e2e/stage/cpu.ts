// How long the page was busy at a stretch. By the processor time of its main thread and not by the clock: on a machine
// that does other things too, the clock measures those. A virtual machine counts what is taken from it as its own time,
// so it is also told whether anything was.
import type { Browser, Page } from "@playwright/test";
import { watchProcessors } from "./machine";

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
  /** The middle one of the `count` longest, in processor time. */
  middleOf: (count: number) => number;
  /** Whether the machine was its own all the while. */
  isQuiet: boolean;
};

/** The longest stretch for which the main thread of the page did one thing while `work` was going on. */
export async function busiest(browser: Browser, page: Page, work: () => Promise<void>): Promise<Busy> {
  const quiet = watchProcessors();
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await work();
  const isQuiet = quiet();
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
  const works = tasks.map((task) => task.tdur ?? task.dur ?? 0).toSorted((a, b) => b - a);
  return {
    longest: most(works),
    longestByClock: most(tasks.map((task) => task.dur ?? 0)),
    middleOf: (count) => (works[Math.floor(Math.min(count, works.length) / 2)] ?? 0) / 1000,
    isQuiet,
  };
}
