// Positions of the history entries on the memory chart.
import type { HistoryStep } from "../../api/memories";
import { t } from "../../texts";

export type Mark = { x: number; y: number; kind: "pass" | "fail" | "withdrawn" | "edit" };
export type Chart = {
  /** The paths of utility and credit; empty if there is no data. */
  utility: string;
  credit: string;
  /** One per history entry, in order. */
  marks: Mark[];
};
export type Box = { width: number; height: number; pad: number };

/** From 0 at the bottom to 1 at the top. */
export const heightOf = (value: number, box: Box) =>
  round(box.pad + (1 - Math.max(0, Math.min(1, value))) * (box.height - 2 * box.pad));

/** Entries have equal distances. The chart shows the number of changes; the table shows the dates. */
const across = (index: number, count: number, box: Box) =>
  round(box.pad + ((index + 1) * (box.width - 2 * box.pad)) / (count + 1));

const round = (value: number) => Math.round(value * 10) / 10;

function kindOf(step: HistoryStep): Mark["kind"] {
  if (step.review == null) return "edit";
  return step.review.withdrawn ? "withdrawn" : step.review.result;
}

export function chartOf(steps: readonly HistoryStep[], box: Box): Chart {
  const at = (index: number) => across(index, steps.length, box);
  const line = (values: (step: HistoryStep) => readonly [number | null, number | null]) => {
    let path = "";
    for (const [index, step] of steps.entries()) {
      const [before, after] = values(step);
      if (before === null || after === null) continue;
      // The first entry starts at its previous value. A later entry may start elsewhere, because a change was
      // undone.
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

type Review = NonNullable<HistoryStep["review"]>;

/** Describes one history entry. */
export function describeStep(step: HistoryStep): string {
  if (step.review == null) return describeEdit(step);
  return listed([t.memory.history.results[step.review.result], describeUse(step.review)]);
}

/** Whether the reviewed run used the memory, how that is known, and whether the review was withdrawn. */
export function describeUse({ used, used_by, withdrawn }: Review): string {
  const { history: texts } = t.memory;
  const use = used === true ? texts.used : used === false ? texts.notUsed : "";
  const withSource = use === "" ? undefined : texts.usedBy[used_by ?? "client"];
  return listed([withSource?.(use) ?? use, withdrawn ? texts.withdrawn : ""]);
}

/** Describes a history entry that is not a review. */
export function describeEdit({ care }: HistoryStep): string {
  const { history: texts } = t.memory;
  if (care == null) return texts.unknown;
  const { kind, facet, after, undone } = care;
  const more: Record<string, string> = {
    evidence: texts.evidenceHalved,
    pooled: texts.valuesCombined,
    version: typeof after === "number" ? texts.version(after) : "",
  };
  return listed([texts.edits[kind] ?? kind, more[facet] ?? "", undone ? texts.undone : ""]);
}

const listed = (parts: readonly string[]) => parts.filter((part) => part !== "").join(", ");

/** Summarizes the history in one sentence. A withdrawn review is not counted. */
export function summarizeHistory(steps: readonly HistoryStep[]): string {
  const { history: texts } = t.memory;
  if (steps.length === 0) return texts.unchanged;
  const reviews = steps.flatMap((step) => step.review ?? []);
  const counting = reviews.filter((review) => !review.withdrawn);
  const passed = counting.filter((review) => review.result === "pass").length;
  const withdrawn = reviews.length - counting.length;
  const others = steps.length - reviews.length;
  return [
    counting.length === 0 ? texts.noReviews : texts.reviews(counting.length, passed),
    withdrawn === 0 ? null : texts.notCounted(withdrawn),
    others === 0 ? null : texts.otherChanges(others),
  ]
    .filter((part) => part !== null)
    .join("; ");
}
