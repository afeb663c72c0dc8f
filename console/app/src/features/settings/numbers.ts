// Parses numbers from form fields.

/** A whole number, null for an empty field, or an error. */
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
      fault: `${name}: enter a whole number from ${least.toLocaleString("en")} to ${most.toLocaleString("en")}, or leave it empty.`,
    };
  }
  return { value, fault: null };
}

/** Parses a percentage into a share. */
export function readPercent(
  text: string,
  name: string,
  most: number,
): { value: number; fault: null } | { value: null; fault: string } {
  const value = Number(text.replace("%", "").replace(",", ".").trim() || Number.NaN);
  if (!(value >= 0 && value <= most))
    return { value: null, fault: `${name}: enter a number from 0 to ${most}.` };
  return { value: Math.round(value * 100) / 10_000, fault: null };
}

/** A share as a percentage for a form, without binary rounding errors. */
export function asPercent(share: number): string {
  return String(Math.round(share * 10_000) / 100);
}
