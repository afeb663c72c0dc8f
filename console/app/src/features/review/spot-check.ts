// Looking at a few of many before all of them get one verdict. Pure rules.

/** Groups larger than this are looked at before. */
export const SMALL_GROUP = 5;
/** How many are looked at. */
export const LOOKED_AT = 3;

export type Verdict = "pass" | "fail";
export type SpotCheck = { of: string[]; agreed: number; stopped: boolean };

/** Whether a verdict on so many runs needs a look first. */
export function needsCheck(traces: number): boolean {
  return traces > SMALL_GROUP;
}

/** Some of these by lot, none twice. */
export function drawn(traces: readonly string[], random: () => number = Math.random): string[] {
  const left = [...traces];
  const some: string[] = [];
  while (some.length < LOOKED_AT && left.length > 0) {
    some.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return some;
}

export const begun = (of: string[]): SpotCheck => ({ of, agreed: 0, stopped: false });

/** What one look says: one that would get the other verdict is enough to stop. */
export function answered(check: SpotCheck, mine: Verdict, forAll: Verdict): SpotCheck {
  if (check.stopped || isPassed(check)) return check;
  return mine === forAll ? { ...check, agreed: check.agreed + 1 } : { ...check, stopped: true };
}

/** The run to look at now. */
export function lookedAt(check: SpotCheck): string | null {
  return check.stopped ? null : (check.of[check.agreed] ?? null);
}

export function isPassed(check: SpotCheck): boolean {
  return !check.stopped && check.of.length > 0 && check.agreed === check.of.length;
}
