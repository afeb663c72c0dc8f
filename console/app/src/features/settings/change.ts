// A change of the embedding model: what can be done in which state, and how it is said.
import type { Schemas } from "../../api/types";

type State = Schemas["SpaceChangeState"];
export type Move = "begin" | "compare" | "switch" | "rollback" | "finish";

const MOVES: Record<State | "none", readonly Move[]> = {
  none: ["begin"],
  filling: ["rollback"],
  ready: ["compare", "switch", "rollback"],
  switched: ["compare", "rollback", "finish"],
  rolled_back: ["compare", "switch", "finish"],
  abandoned: ["begin"],
  finished: ["begin"],
};

const WORDS: Record<State | "none", string> = {
  none: "No change was begun. Questions and new memories go to one space.",
  filling: "Memories are being embedded for the new space. Questions still go to the old one.",
  ready: "Every memory is in both spaces. Compare, then switch. Questions still go to the old one.",
  switched:
    "Questions go to the new space. Roll back at any time; after seven days it is finished by itself.",
  rolled_back: "Questions go to the old space again. Both are kept up.",
  abandoned: "The last change was given up before the first switch.",
  finished: "The last change is finished; one space is left.",
};

/** What can be done now. */
export const movesIn = (state: State | null | undefined) => MOVES[state ?? "none"];

/** How it stands. */
export const wordsOf = (state: State | null | undefined) => WORDS[state ?? "none"];

/** What a move is called; giving up and going back are the same call. */
export function labelOf(move: Move, state: State | null | undefined): string {
  if (move === "rollback") return state === "switched" ? "Roll back" : "Give the change up";
  return { begin: "Begin the change", compare: "Compare", switch: "Switch", finish: "Finish" }[move];
}

/** How a space is named for people. */
export function spaceName(space: Schemas["EmbeddingSpace"]): string {
  return `${space.provider}/${space.model}, ${space.dimensions} numbers, made of the ${space.key_text}`;
}
