// Detects whether CPU time was stolen from this virtual machine.
import { readFileSync } from "node:fs";

/** The share of stolen time below which wall-clock times are still meaningful. */
const QUIET = 0.02;
/** The factor for budgets on a busy machine. Machines were measured to be four times slower for minutes. */
const LOOSE = 5;

/** The note for a measurement. */
export const said = (isQuiet: boolean) => (isQuiet ? "" : "the machine was busy");

/** A budget, multiplied by the factor on a busy machine. */
export const budget = (value: number, isQuiet: boolean) => (isQuiet ? value : LOOSE * value);

type Ticks = { stolen: number; all: number };

/**
 * Starts a measurement and returns whether the machine was quiet since. On systems other than Linux, always
 * true.
 */
export function watchMachine(): () => boolean {
  const began = ticks();
  return () => {
    const now = ticks();
    return now.all === began.all || (now.stolen - began.stolen) / (now.all - began.all) <= QUIET;
  };
}

function ticks(): Ticks {
  let text = "";
  try {
    text = readFileSync("/proc/stat", "utf8");
  } catch {
    return { stolen: 0, all: 0 };
  }
  // user nice system idle iowait irq softirq steal
  const counts = (text.split("\n", 1)[0] ?? "").split(/\s+/).slice(1, 9).map(Number);
  return { stolen: counts[7] ?? 0, all: counts.reduce((sum, count) => sum + count, 0) };
}
