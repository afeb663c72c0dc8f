// Whether the machine was its own. A virtual one is taken away from its tests now and then, and says so.
import { readFileSync } from "node:fs";

/** A share of the processors' time below which a clock still measures the product. */
const QUIET = 0.02;
/** What fails a test on a machine that is taken away from it. It was seen to be four times slower for minutes. */
const LOOSE = 5;

/** What to say beside a figure. */
export const said = (isQuiet: boolean) => (isQuiet ? "" : "the machine was busy elsewhere");

/** A budget as it counts here: as it is, or so much of it that what a busy machine adds does not matter. */
export const budget = (value: number, isQuiet: boolean) => (isQuiet ? value : LOOSE * value);

type Ticks = { stolen: number; all: number };

/** Notes the time, and says later whether the processors were taken away since. Elsewhere than on Linux they never are. */
export function watchProcessors(): () => boolean {
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
