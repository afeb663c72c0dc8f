// An embedding model migration: the possible actions and the description of each state.
import type { Schemas } from "../../api/types";
import { t } from "../../texts";

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

/** The actions that are possible in a state. */
export const actionsIn = (state: State | null | undefined) => ACTIONS[state ?? "none"];

/** Describes a state. */
export const describeState = (state: State | null | undefined) =>
  t.settings.migration.states[state ?? "none"];

/** The label of an action. Cancel and roll back are the same call. */
export function labelOf(move: MigrationAction, state: State | null | undefined): string {
  const texts = t.settings.migration;
  if (move === "rollback") return state === "switched" ? texts.goBack : texts.cancel;
  return texts[move];
}

/** The display name of a space. */
export function spaceName(space: Schemas["EmbeddingSpace"]): string {
  return t.settings.migration.space(`${space.provider}/${space.model}`, space.dimensions, space.key_text);
}
