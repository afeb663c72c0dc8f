// Readable times and numbers, in the language of the reader.
import { language, type Language, t } from "../texts";

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** For example `5m ago`. */
export function ago(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative(language).format(Math.round(seconds / length), unit);
  }
  return t.parts.time.justNow;
}

/** A duration in its two largest units: `2 d 4 h`, `14 s`, `0.4 s`. */
export function duration(seconds: number): string {
  const { duration: texts } = t.parts.time;
  if (seconds < 10) return texts.seconds(fixed(seconds, 1));
  if (seconds < 60) return texts.seconds(fixed(seconds, 0));
  if (seconds < 3_600) return texts.minutes(Math.floor(seconds / 60));
  if (seconds < 86_400) return texts.hours(Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60));
  return texts.days(Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3_600));
}

/** For example `1,024`. */
export function number(n: number): string {
  return numbers(language, undefined).format(n);
}

/** A count that the server stops at some number: `1,000+`. */
export function atLeast(n: number, more: boolean): string {
  return `${number(n)}${more ? "+" : ""}`;
}

/** For example `1 run`, `2 runs`. */
export function counted(n: number, one: string, many: string): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

/** A number with a fixed number of digits, and with a minus sign instead of a hyphen. */
export function fixed(value: number, digits = 2): string {
  return numbers(language, digits).format(value).replace("-", "\u2212");
}

/** The same with a sign in any case: `+15.0`. */
export function signed(value: number, digits = 2): string {
  const text = fixed(value, digits);
  return text.startsWith("\u2212") ? text : `+${text}`;
}

/** A share as a percentage. */
export function percent(share: number): string {
  return `${fixed(share * 100, share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** A day such as `2026-11-15`, shown as `Nov 15`. */
export function dayLabel(day: string): string {
  return days(language).format(new Date(`${day}T00:00:00Z`));
}

export function Time(props: { at: string }) {
  return (
    <time
      dateTime={props.at}
      title={absolute(language).format(new Date(props.at))}
      className="whitespace-nowrap"
    >
      {ago(props.at)}
    </time>
  );
}

// Formatters are slow to create.
const relative = kept(
  (code) =>
    // The narrow German forms are unusual: `vor 5 m`.
    new Intl.RelativeTimeFormat(code, { numeric: "auto", style: code === "de" ? "short" : "narrow" }),
);
const absolute = kept((code) => new Intl.DateTimeFormat(code, { dateStyle: "medium", timeStyle: "medium" }));
const days = kept(
  (code) => new Intl.DateTimeFormat(code, { day: "numeric", month: "short", timeZone: "UTC" }),
);
const numbers = kept(
  (code, digits: number | undefined) =>
    new Intl.NumberFormat(code, {
      signDisplay: "negative",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
);

function kept<F, A extends unknown[]>(create: (code: Language, ...options: A) => F) {
  const known = new Map<string, F>();
  return (code: Language, ...options: A): F => {
    const key = [code, ...options].join(" ");
    const found = known.get(key) ?? create(code, ...options);
    known.set(key, found);
    return found;
  };
}
