// Limits for Markdown. A text above them is shown as plain text.
import { t } from "../texts";

const MAX_CHARACTERS = 150_000;
const MAX_DEPTH = 100;

/** Why a text is not rendered as Markdown; null if it is. */
export function limitExceeded(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return t.parts.markdown.tooLong(MAX_CHARACTERS);
  if (nesting(text) > MAX_DEPTH) return t.parts.markdown.tooDeep(MAX_DEPTH);
  return null;
}

/** An upper bound of the nesting in a text: quotes, lists, brackets, emphasis. */
function nesting(text: string): number {
  let deepest = 0;
  for (const line of text.split("\n")) {
    const prefix = /^[\s>*+\-\d.)]*/.exec(line)?.[0] ?? "";
    const marks = prefix.replace(/[\s\d]/g, "").length;
    deepest = Math.max(
      deepest,
      isRule(line) ? 0 : marks,
      Math.floor(prefix.length / 2) > MAX_DEPTH ? MAX_DEPTH + 1 : 0,
    );
    deepest = Math.max(deepest, longestRun(line, "["), longestRun(line, "!["), emphasis(line));
    if (deepest > MAX_DEPTH) return deepest;
  }
  return deepest;
}

/** A line of only dashes or stars is a rule, at any length. */
const isRule = (line: string) => /^\s*([-*_])(?:\s*\1)*\s*$/.test(line);

function longestRun(line: string, sign: string): number {
  let open = 0;
  let most = 0;
  for (let at = line.indexOf(sign); at !== -1; at = line.indexOf(sign, at + sign.length)) {
    open += 1;
    most = Math.max(most, open);
  }
  const closed = line.split("]").length - 1;
  // Links side by side are not nested.
  return closed >= open && !/\[{8}/.test(line) ? 0 : most;
}

function emphasis(line: string): number {
  const runs = line.match(/[*_~]{16,}/g) ?? [];
  return isRule(line) ? 0 : Math.max(0, ...runs.map((run) => run.length));
}
