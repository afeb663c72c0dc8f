// The result of a retrieval: what was considered, and the outcome of each candidate.
import type { components } from "../../api/schema";

type Schemas = components["schemas"];
type Considered = Schemas["ConsideredMemory"];
export type Fate = NonNullable<Considered["fate"]>;
export type Served = Schemas["Memory"];
/** The contract defines the parameters only as an object. */
type Receipt = Omit<Schemas["Retrieval"], "parameters"> & { parameters: Record<string, unknown> };
export type RetrievalResult = {
  augmented: Schemas["AugmentedTask"];
  receipt: Receipt;
  /** Details of all candidates, including excluded ones, by id. */
  known: ReadonlyMap<string, Served>;
};

export type Candidate = {
  id: string;
  similarity: number;
  utility: number;
  /** The score used for ranking, if the server reports it. */
  score: number | null;
  fate: Fate | null;
  pinned: boolean;
  memory: Served | undefined;
};

/** The candidates of a result: served ones in their order, then excluded ones. */
export function candidatesOf(answer: Pick<RetrievalResult, "receipt" | "known">): {
  served: Candidate[];
  left: Candidate[];
} {
  const pins = answer.receipt.parameters.pinned;
  const pinned = new Set(Array.isArray(pins) ? pins.map(String) : []);
  const all = answer.receipt.considered.map((one) => {
    const memory = answer.known.get(one.memory_id);
    return {
      id: one.memory_id,
      similarity: one.similarity,
      utility: one.utility,
      // Candidates below the threshold are not ranked, so they have no score here.
      score: one.fate === "dissimilar" ? null : (memory?.score ?? null),
      fate: one.fate ?? null,
      pinned: pinned.has(one.memory_id),
      memory,
    };
  });
  return {
    served: all.filter((one) => one.fate === "served"),
    left: all.filter((one) => one.fate !== "served"),
  };
}

/** The similarity of the best candidate below the threshold; null if there is none. */
export function closest(left: readonly Candidate[]): number | null {
  const near = left.filter((one) => one.fate === "dissimilar").map((one) => one.similarity);
  return near.length === 0 ? null : Math.max(...near);
}

/** A numeric parameter as the server applied it. */
export function parameter(receipt: RetrievalResult["receipt"], name: string): number | null {
  const value = receipt.parameters[name];
  return typeof value === "number" ? value : null;
}

const WEIGHT_SOURCES: Readonly<Record<string, string>> = {
  request: "set here",
  replay: "chosen from the results of earlier reviews",
  default: "the default",
};

/** The weight of utility, and where it comes from; empty if it is not recorded. */
export function weightSource(receipt: RetrievalResult["receipt"]): string {
  const weight = parameter(receipt, "utility_weight");
  const source = WEIGHT_SOURCES[String(receipt.parameters.utility_weight_from)];
  return weight === null || source === undefined ? "" : `; utility weight ${weight.toFixed(2)}, ${source}`;
}

/** For example `3 of the 5 closest situations; 12 of 14 runs passed`. */
export function supportOf(memory: Pick<Served, "support" | "runs" | "passed_runs">): string {
  const { support, runs, passed_runs } = memory;
  return `${support.situations} of the ${support.of} closest situations; ${passed_runs} of ${runs} runs passed`;
}

/** Why a candidate was excluded. */
export function exclusionReason(
  fate: Fate | null,
  receipt: RetrievalResult["receipt"],
  room: number,
): string {
  const threshold = parameter(receipt, "similarity_threshold");
  switch (fate) {
    case "dissimilar":
      return threshold === null ? "below the threshold" : `similarity is below ${threshold.toFixed(2)}`;
    case "outranked":
      return `ranked lower; the limit is ${parameter(receipt, "limit") ?? "reached"}`;
    case "alike":
      return "too similar to a served memory";
    case "heldout":
      return "held out at random";
    case "noroom":
      return `does not fit: at most 5 situations, ${room.toLocaleString()} tokens`;
    case "samelesson":
      return "its lesson was served, for this situation too";
    case "repeated":
      return "ranked lower, and its lesson was served";
    case "bounded":
      return "the share for untrusted sources is used up";
    case "served":
      return "served";
    default:
      return "not recorded";
  }
}

/** The server counts four characters as one token. */
export const tokensOf = (text: string) => Math.ceil([...text].length / 4);
