// Differences between two versions of a memory.
import { diffWordsWithSpace } from "diff";
import { type Draft, fieldTexts } from "./lesson";

export type Piece = { text: string; kind: "same" | "added" | "removed" };
export type DiffRow = { label: string; pieces: Piece[] };

/** Limits the time of a comparison while the user types. */
const TIMEOUT_MS = 100;

/** The pieces that change one text into the other. */
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

/** The changed fields, each with its pieces. */
export function diffRows(before: Draft, after: Draft): DiffRow[] {
  const old = fieldTexts(before);
  return fieldTexts(after).flatMap((line, index) => {
    const was = old[index]?.text ?? "";
    return was === line.text ? [] : [{ label: line.label, pieces: piecesOf(was, line.text) }];
  });
}
