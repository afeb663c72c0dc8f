// Differences between two versions of a memory.
import { expect, it } from "vitest";
import { diffRows, piecesOf } from "./diff";
import type { Draft } from "./lesson";

const draft: Draft = {
  task: "Refund an order",
  summary: "Look the price up.",
  guidance: "Wait 10 days.",
  key_mistake: "",
  correct_action: "",
  tools: "refund",
};

it("shows only changed fields, word by word", () => {
  expect(diffRows(draft, { ...draft, guidance: "Wait 14 days.", key_mistake: "Too early." })).toEqual([
    {
      label: "What to do",
      pieces: [
        { text: "Wait ", kind: "same" },
        { text: "10", kind: "removed" },
        { text: "14", kind: "added" },
        { text: " days.", kind: "same" },
      ],
    },
    { label: "What went wrong", pieces: [{ text: "Too early.", kind: "added" }] },
  ]);
  expect(diffRows(draft, draft)).toEqual([]);
});

it("keeps all text of both versions", () => {
  const [before, after] = ["a  b\nc <b>d</b>", "a b\n\nc <i>d</i> e"];
  const pieces = piecesOf(before, after);
  const without = (kind: string) =>
    pieces
      .filter((piece) => piece.kind !== kind)
      .map((piece) => piece.text)
      .join("");
  expect(without("added")).toBe(before);
  expect(without("removed")).toBe(after);
});
