// Describes the changes of the grouping of a lesson.

/** The contract defines the summary only as an object. */
type Action = { kind: string; summary: object };

/** Whether an action changed the grouping of a lesson or of one of its situations. */
export function isAbout(action: Action, ids: readonly string[]): boolean {
  // Each kind has its own fields; those that concern single lessons contain their ids.
  const summary = JSON.stringify(action.summary);
  return action.kind.startsWith("lesson.") && ids.some((id) => summary.includes(id));
}

/** Whether an action has an undo of its own. The grouping of older memories is reverted in the settings. */
export const hasUndo = (action: Pick<Action, "kind">): boolean => action.kind !== "lesson.migrate";

const LABELS: Readonly<Record<string, string>> = {
  "lesson.supersede": "A situation was superseded: a newer run contradicts it.",
  "lesson.group": "Lessons were grouped.",
  "lesson.split": "Situations were split off.",
  "lesson.move": "A situation was moved.",
  "lesson.answer": "A question was answered.",
  "lesson.migrate": "Older memories were grouped.",
};

/** Why a run joined a lesson. */
const REASONS: Readonly<Record<string, string>> = {
  text: "the text is the same",
  structure: "the advice is the same",
  approach: "the tools are the same",
  model: "a model found the same advice",
  use: "the run followed its advice",
};

/** The change as a sentence, and the run that caused it. */
export function describeChange(action: Action): { text: string; trace: string | null } {
  const summary = action.summary as Record<string, unknown>;
  const trace = typeof summary.trace_id === "string" ? summary.trace_id : null;
  if (action.kind !== "lesson.join") return { text: LABELS[action.kind] ?? action.kind, trace };
  const text =
    summary.absorbed_into == null
      ? "A run joined this lesson"
      : "A run with nearly the same task was counted with an existing situation";
  const reason = REASONS[String(summary.by)];
  return { text: reason === undefined ? `${text}.` : `${text}: ${reason}.`, trace };
}
