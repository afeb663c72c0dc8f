// Reading an answer of the server.
import { expect, it } from "vitest";
import { type Answer, candidatesOf, closest, fateWords, type Served, tokensOf } from "./retrieval";

const receipt = {
  id: "r",
  task: "x",
  parameters: { limit: 1, similarity_threshold: 0.300_000_01, pinned: ["p"] },
  considered: [
    { memory_id: "p", similarity: 0.1, utility: 0.6, fate: "served" },
    { memory_id: "a", similarity: 0.6, utility: 0.5, fate: "outranked" },
    { memory_id: "b", similarity: 0.2, utility: 0.5, fate: "dissimilar" },
    { memory_id: "c", similarity: 0.25, utility: 0.5, fate: "dissimilar" },
  ],
  degraded: false,
  held_out: false,
  embed_ms: 1,
  search_ms: 1,
  created_at: "2026-11-15T12:00:00Z",
} satisfies Answer["receipt"];

it("tells what was served from what was left out, with the scores of what was ranked", () => {
  const scored = { score: 0.55 } as Served;
  const known = new Map([
    ["a", scored],
    ["b", scored],
  ]);
  const { served, left } = candidatesOf({ receipt, known });
  expect(served.map((one) => [one.id, one.pinned, one.score])).toEqual([["p", true, null]]);
  expect(left.map((one) => [one.id, one.pinned, one.score])).toEqual([
    ["a", false, 0.55],
    ["b", false, null],
    ["c", false, null],
  ]);
  expect(closest(left)).toBe(0.25);
  expect(closest(left.slice(0, 1))).toBeNull();
});

it("says why something was left out", () => {
  expect(fateWords("dissimilar", receipt, 1500)).toBe("less similar than 0.30");
  expect(fateWords("outranked", receipt, 1500)).toBe("outranked; the limit is 1");
  expect(fateWords("noroom", receipt, 1500)).toBe("no room within 1,500 tokens");
  expect(fateWords(null, receipt, 1500)).toBe("not said");
});

it("counts characters, not units of memory", () => {
  expect(tokensOf("")).toBe(0);
  expect(tokensOf("abcde")).toBe(2);
  expect(tokensOf("😀😀😀😀")).toBe(1);
});
