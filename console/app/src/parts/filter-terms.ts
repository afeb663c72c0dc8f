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

const characters = (text: string) => Array.from(text).length;
