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
  parameters: { limit: 1, similarity_threshold: 0.300_000_01, utility_weight: 0.25, pinned: ["p"] },
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

it("separates served and excluded candidates, all with the numbers of the receipt", () => {
  // The server may round a served memory differently.
  const served = { id: "p", utility: 0.87, score: 0.87 } as Served;
  const found = candidatesOf({ receipt, augmented: { memories: [served] } });
  expect(found.served.map((one) => [one.id, one.pinned, one.memory])).toEqual([["p", true, served]]);
  expect(found.served[0]?.score).toBeCloseTo(0.75 * 0.1 + 0.25 * 0.6);
  expect(found.left.map((one) => [one.id, one.pinned])).toEqual([
    ["a", false],
    ["b", false],
    ["c", false],
  ]);
  expect(found.left[0]?.score).toBeCloseTo(0.75 * 0.6 + 0.25 * 0.5);
  // Candidates below the threshold are not ranked.
  expect(found.left.slice(1).map((one) => one.score)).toEqual([null, null]);
  expect(closest(found.left)).toBe(0.25);
  expect(closest(found.left.slice(0, 1))).toBeNull();
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
    "utility weight 0.30, chosen from the results of earlier reviews",
  );
  expect(weightSource(receipt)).toBeNull();
  expect(supportOf({ support: { situations: 3, of: 5 } })).toBe("stands for 3 of the 5 closest situations");
});

it("counts characters, not code units", () => {
  expect(tokensOf("")).toBe(0);
  expect(tokensOf("abcde")).toBe(2);
  expect(tokensOf("😀😀😀😀")).toBe(1);
});
