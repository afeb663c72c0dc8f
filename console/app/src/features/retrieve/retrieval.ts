// The result of a retrieval: what was considered, and the outcome of each candidate.
import type { components } from "../../api/schema";
import { fixed } from "../../parts/time";
import { t } from "../../texts";

type Schemas = components["schemas"];
type Considered = Schemas["ConsideredMemory"];
export type Fate = NonNullable<Considered["fate"]>;
export type Served = Schemas["Memory"];
/** The contract defines the parameters only as an object. */
type Receipt = Omit<Schemas["Retrieval"], "parameters"> & { parameters: Record<string, unknown> };
export type RetrievalResult = {
  augmented: Schemas["AugmentedTask"];
  receipt: Receipt;
};

export type Candidate = {
  id: string;
  similarity: number;
  /** The score used for ranking; null if it was not ranked. */
  score: number | null;
  fate: Fate | null;
  pinned: boolean;
  /** Undefined if it was not served. */
  memory: Served | undefined;
};

/** The candidates of a result: served ones in their order, then excluded ones. All numbers are those of the receipt. */
export function candidatesOf(answer: { receipt: Receipt; augmented: { memories: readonly Served[] } }): {
  served: Candidate[];
  left: Candidate[];
} {
  const pins = answer.receipt.parameters.pinned;
  const pinned = new Set(Array.isArray(pins) ? pins.map(String) : []);
  const memories = new Map(answer.augmented.memories.map((memory) => [memory.id, memory]));
  const all = answer.receipt.considered.map((one) => ({
    id: one.memory_id,
    similarity: one.similarity,
    score: scoreOf(one, answer.receipt),
    fate: one.fate ?? null,
    pinned: pinned.has(one.memory_id),
    memory: memories.get(one.memory_id),
  }));
  return {
    served: all.filter((one) => one.fate === "served"),
    left: all.filter((one) => one.fate !== "served"),
  };
}

/** The score by which the server ranks. Candidates below the threshold are not ranked. */
function scoreOf(one: Considered, receipt: Receipt): number | null {
  const weight = parameter(receipt, "utility_weight");
  if (weight === null || one.fate === "dissimilar") return null;
  return (1 - weight) * one.similarity + weight * one.utility;
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

/** The weight of utility, and where it comes from; null if it is not recorded. */
export function weightSource(receipt: RetrievalResult["receipt"]): string | null {
  const weight = parameter(receipt, "utility_weight");
  const sources: Readonly<Record<string, (weight: string) => string>> = t.retrieve.receipt.weight;
  const source = sources[String(receipt.parameters.utility_weight_from)];
  return weight === null || source === undefined ? null : source(fixed(weight));
}

/** For example `stands for 3 of the 5 closest situations`. */
export const supportOf = ({ support }: Pick<Served, "support">): string =>
  t.retrieve.candidates.support(support.situations, support.of);

/** Why a candidate was excluded. */
export function exclusionReason(
  fate: Fate | null,
  receipt: RetrievalResult["receipt"],
  room: number,
): string {
  const threshold = parameter(receipt, "similarity_threshold");
  const { reasons } = t.retrieve;
  switch (fate) {
    case "dissimilar":
      return reasons.dissimilar(threshold === null ? null : fixed(threshold));
    case "outranked":
      return reasons.outranked(parameter(receipt, "limit"));
    case "noroom":
      return reasons.noroom(room);
    case null:
      return reasons.notRecorded;
    default:
      return reasons[fate] ?? reasons.notRecorded;
  }
}

/** The server counts four characters as one token. */
export const tokensOf = (text: string) => Math.ceil([...text].length / 4);
