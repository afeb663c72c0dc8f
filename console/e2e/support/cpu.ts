// Measures the longest tasks of a page by the CPU time of its main thread, not by wall-clock time: on a shared
// machine, wall-clock time includes other processes. A virtual machine counts stolen time as its own, so the
// result also reports whether time was stolen.
import type { Browser, Page } from "@playwright/test";
import { watchMachine } from "./machine";

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
  /** The longest task in CPU time, in ms. */
  longest: number;
  /** The same in wall-clock time. */
  longestByClock: number;
  /** The median of the `count` longest tasks, in CPU time. */
  medianOf: (count: number) => number;
  /** Whether no CPU time was stolen during the measurement. */
  isQuiet: boolean;
};

/** Measures the longest task of the page's main thread while `work` runs. */
export async function measureTasks(browser: Browser, page: Page, work: () => Promise<void>): Promise<Busy> {
  const quiet = watchMachine();
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
  if (tasks.length === 0) throw new Error("the browser recorded no task");
  const most = (values: number[]) => Math.max(...values) / 1000;
  const works = tasks.map((task) => task.tdur ?? task.dur ?? 0).toSorted((a, b) => b - a);
  return {
    longest: most(works),
    longestByClock: most(tasks.map((task) => task.dur ?? 0)),
    medianOf: (count) => (works[Math.floor(Math.min(count, works.length) / 2)] ?? 0) / 1000,
    isQuiet,
  };
}
