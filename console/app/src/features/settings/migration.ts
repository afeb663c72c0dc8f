// An embedding model migration: the possible actions and the description of each state.
import type { Schemas } from "../../api/types";

type State = Schemas["SpaceChangeState"];
export type MigrationAction = "begin" | "compare" | "switch" | "rollback" | "finish";

const ACTIONS: Record<State | "none", readonly MigrationAction[]> = {
  none: ["begin"],
  filling: ["rollback"],
  ready: ["compare", "switch", "rollback"],
  switched: ["compare", "rollback", "finish"],
  rolled_back: ["compare", "switch", "finish"],
  abandoned: ["begin"],
  finished: ["begin"],
};

const DESCRIPTIONS: Record<State | "none", string> = {
  none: "No migration is in progress. Queries and new memories use one space.",
  filling: "Memories are being embedded in the new space. Queries still use the old one.",
  ready: "Every memory is in both spaces. Compare, then switch. Queries still use the old one.",
  switched:
    "Queries use the new space. You can roll back at any time. The migration finishes automatically after seven days.",
  rolled_back: "Queries use the old space again. Both spaces are kept up to date.",
  abandoned: "The last migration was cancelled before the first switch.",
  finished: "The last migration is finished. One space is left.",
};

/** The actions that are possible in a state. */
export const actionsIn = (state: State | null | undefined) => ACTIONS[state ?? "none"];

/** Describes a state. */
export const describeState = (state: State | null | undefined) => DESCRIPTIONS[state ?? "none"];

/** The label of an action. Cancel and roll back are the same call. */
export function labelOf(move: MigrationAction, state: State | null | undefined): string {
  if (move === "rollback") return state === "switched" ? "Roll back" : "Cancel the migration";
  return { begin: "Start the migration", compare: "Compare", switch: "Switch", finish: "Finish" }[move];
}

/** The display name of a space. */
export function spaceName(space: Schemas["EmbeddingSpace"]): string {
  return `${space.provider}/${space.model}, ${space.dimensions} dimensions, key text: ${space.key_text}`;
}
