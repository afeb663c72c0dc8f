// Splits a filter text into terms for display. The server parses the filter.

export type Term = {
  text: string;
  /** The position in Unicode characters, as in the errors of the server. */
  start: number;
  end: number;
};

/** The terms of a filter: separated by spaces; quotation marks keep spaces. */
export function termsOf(filter: string): Term[] {
  return [...filter.matchAll(/(?:"[^"]*"?|[^\s"])+/g)].map((match) => {
    const start = characters(filter.slice(0, match.index));
    return { text: match[0], start, end: start + characters(match[0]) };
  });
}

/** The filter without one of its terms. */
export function withoutTerm(filter: string, term: Term): string {
  return termsOf(filter)
    .filter((other) => other.start !== term.start)
    .map((other) => other.text)
    .join(" ");
}

export const hasTerm = (filter: string, text: string): boolean =>
  termsOf(filter).some((term) => term.text === text);

/**
 * The filter without a term, or with it if it is missing. Then it replaces the terms of the same field and the
 * excluded ones. It comes first, because an open quotation mark would take it in.
 */
export function toggledTerm(filter: string, text: string, excluded: readonly string[] = []): string {
  const field = text.slice(0, text.indexOf(":") + 1);
  const others = termsOf(filter).map((term) => term.text);
  if (others.includes(text)) return others.filter((other) => other !== text).join(" ");
  return [text, ...others.filter((other) => !other.startsWith(field) && !excluded.includes(other))].join(" ");
}

const characters = (text: string) => Array.from(text).length;
