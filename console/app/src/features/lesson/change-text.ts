// Describes the changes of the grouping of a lesson.
import { t } from "../../texts";

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

/** The change as a sentence, and the run that caused it. */
export function describeChange(action: Action): { text: string; trace: string | null } {
  const summary = action.summary as Record<string, unknown>;
  const trace = typeof summary.trace_id === "string" ? summary.trace_id : null;
  const { joined, absorbed, kinds } = t.lesson.changes;
  if (action.kind !== "lesson.join") return { text: kinds[action.kind] ?? action.kind, trace };
  const describe = summary.absorbed_into == null ? joined : absorbed;
  return { text: describe(String(summary.by)), trace };
}
