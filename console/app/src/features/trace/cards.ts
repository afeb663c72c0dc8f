// Groups steps into cards: a tool call and its result share one card.
import type { Step, StepKind } from "../../api/types";
import { t } from "../../texts";

export type Card = {
  /** The number of its first step. */
  n: number;
  /** Undefined until it is loaded. */
  step: Step | undefined;
  result: Step | undefined;
};

/** The cards of a run, from the steps loaded so far. */
export function cardsOf(total: number, steps: ReadonlyMap<number, Step>): Card[] {
  const calls = new Map<string, Card>();
  const cards: Card[] = [];
  for (let n = 0; n < total; n += 1) {
    const step = steps.get(n);
    const call = step?.call_id == null ? undefined : calls.get(step.call_id);
    if (step !== undefined && step.kind !== "tool_call" && call !== undefined && call.result === undefined) {
      call.result = step;
      continue;
    }
    const card: Card = { n, step, result: undefined };
    cards.push(card);
    // A reused call id belongs to the newer call.
    if (step?.kind === "tool_call" && step.call_id != null) calls.set(step.call_id, card);
  }
  return cards;
}

/** The index of the card that shows a step. */
export function cardAt(cards: readonly Card[], n: number): number {
  const own = cards.findIndex((card) => card.n === n || card.result?.n === n);
  if (own !== -1) return own;
  const after = cards.findIndex((card) => card.n > n);
  return after === -1 ? cards.length - 1 : Math.max(0, after - 1);
}

/** The next failed step after this one. Wraps around at the end. */
export function nextFailed(failed: readonly number[], now: number): number | undefined {
  return failed.find((n) => n > now) ?? failed[0];
}

export const kindLabel = (kind: StepKind): string => t.trace.kinds[kind] ?? kind;

/** Whether a step contains a text. */
export function mentions(step: Step, wanted: string): boolean {
  const text = wanted.toLowerCase();
  const has = (where: string | null | undefined) => where?.toLowerCase().includes(text) === true;
  return (
    has(step.title) ||
    has(step.tool) ||
    step.parts.some((part) => has(part.text) || has(part.head) || has(part.tail))
  );
}

/** The memories listed in an injected block. */
export function memoryIds(text: string): string[] {
  const ids = [...text.matchAll(/<memory id="([0-9a-fA-F-]{36})"/g)].map((match) => match[1] ?? "");
  return [...new Set(ids)];
}
