// What changed between two texts of a memory.
import { diffWordsWithSpace } from "diff";
import { type Draft, linesOf } from "./lesson";

export type Piece = { text: string; kind: "same" | "added" | "removed" };
export type DiffRow = { label: string; pieces: Piece[] };

/** A comparison that takes longer than this is not worth waiting for while somebody types. */
const TIMEOUT_MS = 100;

/** The pieces of which the one text was made the other. */
export function piecesOf(before: string, after: string): Piece[] {
  if (before === after) return before === "" ? [] : [{ text: before, kind: "same" }];
  const parts = diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS });
  if (parts === undefined) {
    return [
      { text: before, kind: "removed" },
      { text: after, kind: "added" },
    ];
  }
  return parts.map((part) => ({
    text: part.value,
    kind: part.added ? "added" : part.removed ? "removed" : "same",
  }));
}

/** The fields that changed, each with its pieces. */
export function diffRows(before: Draft, after: Draft): DiffRow[] {
  const old = linesOf(before);
  return linesOf(after).flatMap((line, index) => {
    const was = old[index]?.text ?? "";
    return was === line.text ? [] : [{ label: line.label, pieces: piecesOf(was, line.text) }];
  });
}
