// Where the steps of a memory's history lie on its chart.
import type { HistoryStep } from "../../api/memories";

export type Mark = { x: number; y: number; kind: "pass" | "fail" | "withdrawn" | "care" };
export type Chart = {
  /** The line of the utility, and that of the credit; empty where there is none. */
  utility: string;
  credit: string;
  /** One per step, in order. */
  marks: Mark[];
};
export type Box = { width: number; height: number; pad: number };

/** From 0 at the bottom to 1 at the top. */
export const heightOf = (value: number, box: Box) =>
  round(box.pad + (1 - Math.max(0, Math.min(1, value))) * (box.height - 2 * box.pad));

/** Steps stand at equal distances: when they happened is said, how often is what is seen. */
const across = (index: number, count: number, box: Box) =>
  round(box.pad + ((index + 1) * (box.width - 2 * box.pad)) / (count + 1));

const round = (value: number) => Math.round(value * 10) / 10;

function kindOf(step: HistoryStep): Mark["kind"] {
  if (step.review == null) return "care";
  return step.review.withdrawn ? "withdrawn" : step.review.result;
}

export function chartOf(steps: readonly HistoryStep[], box: Box): Chart {
  const at = (index: number) => across(index, steps.length, box);
  const line = (values: (step: HistoryStep) => readonly [number | null, number | null]) => {
    let path = "";
    for (const [index, step] of steps.entries()) {
      const [before, after] = values(step);
      if (before === null || after === null) continue;
      // The first point is where it stood; later ones may begin elsewhere, because something was undone.
      path +=
        path === ""
          ? `M${index === 0 ? box.pad : at(index - 1)} ${heightOf(before, box)}`
          : `V${heightOf(before, box)}`;
      path += `H${at(index)}V${heightOf(after, box)}`;
    }
    return path === "" ? "" : `${path}H${box.width - box.pad}`;
  };
  return {
    utility: line((step) => [step.q_before, step.q_after]),
    credit: line((step) => [step.credit_before ?? null, step.credit_after ?? null]),
    marks: steps.map((step, index) => ({
      x: at(index),
      y: heightOf(step.q_after, box),
      kind: kindOf(step),
    })),
  };
}

const CARE: Readonly<Record<string, string>> = {
  "memory.disable": "disabled",
  "memory.enable": "enabled",
  "memory.pin": "pinned",
  "memory.unpin": "pinned no more",
  "memory.quarantine": "quarantined",
  "memory.release": "released",
  "memory.corroborate": "released, because others vouched for it",
  "memory.edit": "edited",
  "memory.merge": "merged",
  "memory.delete": "deleted",
  "memory.erase": "erased",
};

/** A step in words. */
export function stepWords(step: HistoryStep): string {
  if (step.review != null) {
    const used = step.review.used === true ? ", used" : step.review.used === false ? ", not used" : "";
    return `${step.review.result}${used}${step.review.withdrawn ? ", withdrawn" : ""}`;
  }
  if (step.care == null) return "unknown";
  const { kind, facet, after, undone } = step.care;
  const more: Record<string, string> = {
    evidence: ", evidence halved",
    pooled: ", worth pooled",
    version: typeof after === "number" ? `, version ${after}` : "",
  };
  return `${CARE[kind] ?? kind}${more[facet] ?? ""}${undone ? ", undone" : ""}`;
}

/** The whole history in a sentence, for those who do not see it. */
export function chartWords(steps: readonly HistoryStep[]): string {
  const reviews = steps.filter((step) => step.review != null);
  const passed = reviews.filter((step) => step.review?.result === "pass").length;
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return "No review has moved it.";
  const n = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;
  return `Utility from ${first.q_before.toFixed(2)} to ${last.q_after.toFixed(2)} over ${n(steps.length, "step")}: ${n(reviews.length, "review")}, ${passed} passed.`;
}
