// Grouping steps into cards.
import { expect, it } from "vitest";
import type { Step, StepKind } from "../../api/types";
import { cardAt, cardsOf, memoryIds, mentions, nextFailed } from "./cards";

const step = (n: number, kind: StepKind, call_id: string | null = null): Step => ({
  n,
  message: n,
  kind,
  title: `step ${n}`,
  parts: [],
  call_id,
  tool: null,
  failed: false,
  at: null,
  duration_ms: null,
  tokens: null,
});
const known = (...steps: Step[]) => new Map(steps.map((one) => [one.n, one]));
const numbers = (steps: Map<number, Step>, total = steps.size) =>
  cardsOf(total, steps).map((card) => [card.n, card.result?.n ?? null]);

it("puts a call and its result on one card, also with steps in between", () => {
  const steps = known(
    step(0, "user"),
    step(1, "tool_call", "a"),
    step(2, "tool_call", "b"),
    step(3, "tool_result", "b"),
    step(4, "tool_result", "a"),
  );
  expect(numbers(steps)).toEqual([
    [0, null],
    [1, 4],
    [2, 3],
  ]);
});

it("keeps everything: results without a call, second results, reused ids", () => {
  const steps = known(
    step(0, "tool_result", "x"),
    step(1, "tool_call", "a"),
    step(2, "tool_result", "a"),
    step(3, "tool_result", "a"),
    step(4, "tool_call", "a"),
    step(5, "error", "a"),
  );
  expect(numbers(steps)).toEqual([
    [0, null],
    [1, 2],
    [3, null],
    [4, 5],
  ]);
});

it("keeps a place for steps that are not loaded, and finds the card of any step", () => {
  const cards = cardsOf(4, known(step(0, "tool_call", "a"), step(1, "tool_result", "a")));
  expect(cards.map((card) => card.n)).toEqual([0, 2, 3]);
  expect([0, 1, 2, 3, 99].map((n) => cardAt(cards, n))).toEqual([0, 0, 1, 2, 2]);
});

it("wraps around the failed steps", () => {
  expect([nextFailed([2, 5], 0), nextFailed([2, 5], 2), nextFailed([2, 5], 5), nextFailed([], 1)]).toEqual([
    2,
    5,
    2,
    undefined,
  ]);
});

it("finds words and memories", () => {
  expect(mentions(step(3, "note"), "STEP 3")).toBe(true);
  expect(mentions(step(3, "note"), "refund")).toBe(false);
  const id = "01a1dd7e-3f9d-7268-b8f2-277cca504f80";
  expect(memoryIds(`<memory id="${id}" utility="0.5"> <memory id="${id}"> <memory id="nope">`)).toEqual([id]);
});
