// Reads a retrieval result.
import { expect, it } from "vitest";
import {
  type RetrievalResult,
  candidatesOf,
  closest,
  exclusionReason,
  type Served,
  supportOf,
  tokensOf,
  weightSource,
} from "./retrieval";

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
} satisfies RetrievalResult["receipt"];

it("separates served and excluded candidates, with the scores of ranked ones", () => {
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

it("explains why a candidate was excluded", () => {
  expect(exclusionReason("dissimilar", receipt, 1500)).toBe("similarity is below 0.30");
  expect(exclusionReason("outranked", receipt, 1500)).toBe("ranked lower; the limit is 1");
  expect(exclusionReason("noroom", receipt, 1500)).toBe("does not fit: at most 5 situations, 1,500 tokens");
  expect(exclusionReason("samelesson", receipt, 1500)).toBe("its lesson was served, for this situation too");
  expect(exclusionReason(null, receipt, 1500)).toBe("not recorded");
});

it("says where the weight comes from, and what a lesson is supported by", () => {
  const parameters = { utility_weight: 0.300_000_01, utility_weight_from: "replay" };
  expect(weightSource({ ...receipt, parameters })).toBe(
    "; utility weight 0.30, chosen from the results of earlier reviews",
  );
  expect(weightSource(receipt)).toBe("");
  expect(supportOf({ support: { situations: 3, of: 5 }, runs: 14, passed_runs: 12 })).toBe(
    "3 of the 5 closest situations; 12 of 14 runs passed",
  );
});

it("counts characters, not code units", () => {
  expect(tokensOf("")).toBe(0);
  expect(tokensOf("abcde")).toBe(2);
  expect(tokensOf("😀😀😀😀")).toBe(1);
});
