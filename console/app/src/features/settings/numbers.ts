// Parses numbers from form fields.
import { type Language, language, t } from "../../texts";

const SEPARATORS: Readonly<Record<Language, RegExp>> = {
  en: /[\s,_]/g,
  de: /[\s_]|\.(?=\d{3}(?!\d))/g,
};

/** A whole number, null for an empty field, or an error. */
export function readCount(
  text: string,
  name: string,
  least: number,
  most: number,
): { value: number | null; fault: null } | { value: null; fault: string } {
  const plain = text.replaceAll(SEPARATORS[language], "");
  if (plain === "") return { value: null, fault: null };
  const value = Number(plain);
  if (!Number.isInteger(value) || value < least || value > most) {
    return { value: null, fault: t.settings.input.wholeNumber(name, least, most) };
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
  if (!(value >= 0 && value <= most)) return { value: null, fault: t.settings.input.percentage(name, most) };
  return { value: Math.round(value * 100) / 10_000, fault: null };
}

/** Parses a number with a fraction. */
export function readDecimal(
  text: string,
  name: string,
  least: number,
  most: number,
): { value: number; fault: null } | { value: null; fault: string } {
  const value = Number(text.replace(",", ".").trim() || Number.NaN);
  if (!(value >= least && value <= most)) {
    return { value: null, fault: t.settings.input.decimal(name, least, most) };
  }
  return { value, fault: null };
}

/** A number for a form. */
export function asDecimal(value: number): string {
  return value.toLocaleString(language, { maximumFractionDigits: 4, useGrouping: false });
}

/** A share as a percentage for a form, without binary rounding errors. */
export function asPercent(share: number): string {
  return (share * 100).toLocaleString(language, { maximumFractionDigits: 2, useGrouping: false });
}
