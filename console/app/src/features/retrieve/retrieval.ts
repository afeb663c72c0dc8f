// What the server says about a question: what was considered, and what became of each.
import type { components } from "../../api/schema";

type Schemas = components["schemas"];
type Considered = Schemas["ConsideredMemory"];
export type Fate = NonNullable<Considered["fate"]>;
export type Served = Schemas["Memory"];
/** The contract says of the parameters only that they are an object. */
type Receipt = Omit<Schemas["Retrieval"], "parameters"> & { parameters: Record<string, unknown> };
export type Answer = {
  augmented: Schemas["AugmentedTask"];
  receipt: Receipt;
  /** What the server says of the candidates, those that were left out included, by id. */
  known: ReadonlyMap<string, Served>;
};

export type Candidate = {
  id: string;
  similarity: number;
  utility: number;
  /** What it was ranked by, where the server says so. */
  score: number | null;
  fate: Fate | null;
  pinned: boolean;
  memory: Served | undefined;
};

/** The candidates of an answer: what was served in its order, then what was left out. */
export function candidatesOf(answer: Pick<Answer, "receipt" | "known">): {
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
      // What lies below the threshold is not ranked, so it has no score here, whatever it would have elsewhere.
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

/** The similarity of the nearest candidate that lies below the threshold; null when none does. */
export function closest(left: readonly Candidate[]): number | null {
  const near = left.filter((one) => one.fate === "dissimilar").map((one) => one.similarity);
  return near.length === 0 ? null : Math.max(...near);
}

/** A number of the parameters that the server filled in. */
export function parameter(receipt: Answer["receipt"], name: string): number | null {
  const value = receipt.parameters[name];
  return typeof value === "number" ? value : null;
}

/** Why a candidate was left out, in words. */
export function fateWords(fate: Fate | null, receipt: Answer["receipt"], room: number): string {
  const threshold = parameter(receipt, "similarity_threshold");
  switch (fate) {
    case "dissimilar":
      return threshold === null ? "below the threshold" : `less similar than ${threshold.toFixed(2)}`;
    case "outranked":
      return `outranked; the limit is ${parameter(receipt, "limit") ?? "reached"}`;
    case "alike":
      return "too much like one that was chosen";
    case "heldout":
      return "held out by lot";
    case "noroom":
      return `no room within ${room.toLocaleString()} tokens`;
    case "bounded":
      return "its source is not trusted and had its share";
    case "served":
      return "served";
    default:
      return "not said";
  }
}

/** The server takes four characters for a token. */
export const tokensOf = (text: string) => Math.ceil([...text].length / 4);
