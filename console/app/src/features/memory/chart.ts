// Positions of the history entries on the memory chart.
import type { HistoryStep } from "../../api/memories";

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

const EDIT_LABELS: Readonly<Record<string, string>> = {
  "memory.disable": "disabled",
  "memory.enable": "enabled",
  "memory.pin": "pinned",
  "memory.unpin": "unpinned",
  "memory.quarantine": "quarantined",
  "memory.release": "released",
  "memory.corroborate": "released because other sources confirmed it",
  "memory.edit": "edited",
  "memory.merge": "merged",
  "memory.delete": "deleted",
  "memory.erase": "erased",
  "lesson.join": "joined a lesson",
  "lesson.supersede": "superseded by a newer run",
  "lesson.group": "grouped",
  "lesson.split": "split off from its lesson",
  "lesson.move": "moved to another lesson",
  "lesson.answer": "changed by the answer to a question",
  "lesson.migrate": "grouped with older memories",
};

/** How it is known whether a run used a memory. The client's own statement needs no words. */
const USE_SOURCES: Readonly<Record<string, string>> = {
  model: " (said by a model)",
  text: " (inferred from texts)",
};

/** Describes one history entry. */
export function describeStep(step: HistoryStep): string {
  if (step.review != null) {
    const used = step.review.used === true ? ", used" : step.review.used === false ? ", not used" : "";
    const how = used === "" ? "" : (USE_SOURCES[step.review.used_by ?? "client"] ?? "");
    return `${step.review.result}${used}${how}${step.review.withdrawn ? ", withdrawn" : ""}`;
  }
  if (step.care == null) return "unknown";
  const { kind, facet, after, undone } = step.care;
  const more: Record<string, string> = {
    evidence: ", evidence halved",
    pooled: ", values combined",
    version: typeof after === "number" ? `, version ${after}` : "",
  };
  return `${EDIT_LABELS[kind] ?? kind}${more[facet] ?? ""}${undone ? ", undone" : ""}`;
}

/** Summarizes the history in one sentence, for screen readers. */
export function summarizeHistory(steps: readonly HistoryStep[]): string {
  const reviews = steps.filter((step) => step.review != null);
  const passed = reviews.filter((step) => step.review?.result === "pass").length;
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return "No review has changed it.";
  const n = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;
  return `q_value from ${first.q_before.toFixed(2)} to ${last.q_after.toFixed(2)} over ${n(steps.length, "change")}: ${n(reviews.length, "review")}, ${passed} passed.`;
}
