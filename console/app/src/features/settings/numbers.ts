// Numbers as people write them into a form.

/** A whole number, nothing for an empty field, or what is wrong with it. */
export function readCount(
  text: string,
  name: string,
  least: number,
  most: number,
): { value: number | null; fault: null } | { value: null; fault: string } {
  const plain = text.replaceAll(/[\s,_]/g, "");
  if (plain === "") return { value: null, fault: null };
  const value = Number(plain);
  if (!Number.isInteger(value) || value < least || value > most) {
    return {
      value: null,
      fault: `${name}: a whole number from ${least.toLocaleString("en")} to ${most.toLocaleString("en")}, or nothing.`,
    };
  }
  return { value, fault: null };
}

/** A share from a number of percent. */
export function readPercent(
  text: string,
  name: string,
  most: number,
): { value: number; fault: null } | { value: null; fault: string } {
  const value = Number(text.replace("%", "").replace(",", ".").trim() || Number.NaN);
  if (!(value >= 0 && value <= most)) return { value: null, fault: `${name}: 0 to ${most} percent.` };
  return { value: Math.round(value * 100) / 10_000, fault: null };
}

/** A share as the number of percent that a form shows, without what binary fractions add. */
export function asPercent(share: number): string {
  return String(Math.round(share * 10_000) / 100);
}
