// Rules of the spot check before a bulk verdict. Pure functions.

/** Larger groups need a spot check. */
export const MAX_UNCHECKED = 5;
/** The sample size. */
export const SAMPLE_SIZE = 3;

export type Verdict = "pass" | "fail";
export type SpotCheck = { of: string[]; agreed: number; stopped: boolean };

/** Whether a verdict on this many runs needs a spot check. */
export function needsCheck(traces: number): boolean {
  return traces > MAX_UNCHECKED;
}

/** A random sample without duplicates. */
export function randomSample(traces: readonly string[], random: () => number = Math.random): string[] {
  const left = [...traces];
  const some: string[] = [];
  while (some.length < SAMPLE_SIZE && left.length > 0) {
    some.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return some;
}

export const startCheck = (of: string[]): SpotCheck => ({ of, agreed: 0, stopped: false });

/** Records one answer. The first different verdict stops the check. */
export function recordAnswer(check: SpotCheck, mine: Verdict, forAll: Verdict): SpotCheck {
  if (check.stopped || isPassed(check)) return check;
  return mine === forAll ? { ...check, agreed: check.agreed + 1 } : { ...check, stopped: true };
}

/** The run to check now. */
export function currentRun(check: SpotCheck): string | null {
  return check.stopped ? null : (check.of[check.agreed] ?? null);
}

export function isPassed(check: SpotCheck): boolean {
  return !check.stopped && check.of.length > 0 && check.agreed === check.of.length;
}
