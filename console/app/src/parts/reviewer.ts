// The names of reviewers and of sources of signals, in plain words.
import { t } from "../texts";
import { shown } from "./reveal";

const SIGNAL = /^signal:(.*)$/s;

/** Whether a review comes from signals of another system, such as CI. */
export const isSignal = (reviewer: string) => SIGNAL.test(reviewer);

/** Whether a review comes from a person, or from a program of the client. */
export const isPerson = (reviewer: string) => !isSignal(reviewer) && !reviewer.startsWith("judge:");

/** The name of a reviewer. `signal:ci` is `CI (signal)`. */
export function reviewerName(reviewer: string): string {
  const source = SIGNAL.exec(reviewer)?.[1];
  return source === undefined ? shown(reviewer) : t.parts.signals.reviewer(sourceName(source));
}

/** The same, and `member:ana` is `ana`. */
export function shortName(reviewer: string): string {
  const member = /^member:(.*)$/s.exec(reviewer)?.[1];
  return member === undefined ? reviewerName(reviewer) : shown(member);
}

/** The name of a source of signals. A source that only the project knows has no other name. */
export function sourceName(source: string): string {
  const names: Readonly<Record<string, string>> = t.parts.signals.sources;
  return Object.hasOwn(names, source) ? (names[source] ?? source) : shown(source);
}
