// Detects whether other work disturbs a measurement: CPU time stolen from this virtual machine, or a machine without
// idle time.
import { readFileSync } from "node:fs";

/** The share of stolen time below which measured times are still meaningful. */
const QUIET = 0.02;
/** The share of idle time above which wall-clock times are meaningful: below it, processes wait for a processor. */
const IDLE = 0.1;
/** The factor for budgets on a busy machine. Machines were measured to be four times slower for minutes. */
const LOOSE = 5;

/** The note for a measurement. */
export const said = (isQuiet: boolean) => (isQuiet ? "" : "the machine was busy");

/** A budget, multiplied by the factor on a busy machine. */
export const budget = (value: number, isQuiet: boolean) => (isQuiet ? value : LOOSE * value);

type Ticks = { stolen: number; idle: number; all: number };

/**
 * Starts a measurement of CPU time and returns whether the machine was quiet since. On systems other than Linux,
 * always true.
 */
export function watchMachine(): () => boolean {
  const share = shares();
  return () => share().stolen <= QUIET;
}

/** The same for a measurement of wall-clock time, which also includes waiting for other processes. */
export function watchClock(): () => boolean {
  const share = shares();
  return () => {
    const { stolen, idle } = share();
    return stolen <= QUIET && idle >= IDLE;
  };
}

function shares(): () => { stolen: number; idle: number } {
  const began = ticks();
  return () => {
    const now = ticks();
    const all = now.all - began.all;
    if (all === 0) return { stolen: 0, idle: 1 };
    return { stolen: (now.stolen - began.stolen) / all, idle: (now.idle - began.idle) / all };
  };
}

function ticks(): Ticks {
  let text = "";
  try {
    text = readFileSync("/proc/stat", "utf8");
  } catch {
    return { stolen: 0, idle: 0, all: 0 };
  }
  // user nice system idle iowait irq softirq steal
  const counts = (text.split("\n", 1)[0] ?? "").split(/\s+/).slice(1, 9).map(Number);
  return { stolen: counts[7] ?? 0, idle: counts[3] ?? 0, all: counts.reduce((sum, count) => sum + count, 0) };
}
