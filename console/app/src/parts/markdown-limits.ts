// When a text is too much for markdown and is shown as it is.

const MOST_CHARACTERS = 150_000;
const MOST_DEPTH = 100;

/** Why a text is not rendered as markdown; null when it can be. */
export function tooMuch(text: string): string | null {
  if (text.length > MOST_CHARACTERS) return `longer than ${MOST_CHARACTERS.toLocaleString()} characters`;
  if (nesting(text) > MOST_DEPTH) return `nested deeper than ${MOST_DEPTH} levels`;
  return null;
}

/** The deepest nesting that the signs of a text could build: quotes, lists, brackets, emphasis. */
function nesting(text: string): number {
  let deepest = 0;
  for (const line of text.split("\n")) {
    const prefix = /^[\s>*+\-\d.)]*/.exec(line)?.[0] ?? "";
    const marks = prefix.replace(/[\s\d]/g, "").length;
    deepest = Math.max(
      deepest,
      isRule(line) ? 0 : marks,
      Math.floor(prefix.length / 2) > MOST_DEPTH ? MOST_DEPTH + 1 : 0,
    );
    deepest = Math.max(deepest, longestRun(line, "["), longestRun(line, "!["), emphasis(line));
    if (deepest > MOST_DEPTH) return deepest;
  }
  return deepest;
}

/** A line of dashes or stars alone is a rule, however long. */
const isRule = (line: string) => /^\s*([-*_])(?:\s*\1)*\s*$/.test(line);

function longestRun(line: string, sign: string): number {
  let open = 0;
  let most = 0;
  for (let at = line.indexOf(sign); at !== -1; at = line.indexOf(sign, at + sign.length)) {
    open += 1;
    most = Math.max(most, open);
  }
  const closed = line.split("]").length - 1;
  // Links side by side are not inside each other.
  return closed >= open && !/\[{8}/.test(line) ? 0 : most;
}

function emphasis(line: string): number {
  const runs = line.match(/[*_~]{16,}/g) ?? [];
  return isRule(line) ? 0 : Math.max(0, ...runs.map((run) => run.length));
}
