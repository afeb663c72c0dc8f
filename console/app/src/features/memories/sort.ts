// The sort orders of the memory list. The URL of the page contains the order.
import type { MemorySort } from "../../api/memories";

/** The orders with their labels. */
export const SORTS: Readonly<Record<MemorySort, string>> = {
  attention: "needs attention",
  harm: "most harmful",
  newest: "newest",
  utility: "highest utility",
  evidence: "most evidence",
};

export const DEFAULT_SORT: MemorySort = "newest";

/** The order in a URL; undefined if it is missing or unknown. */
export const sortOf = (value: unknown): MemorySort | undefined =>
  (Object.keys(SORTS) as MemorySort[]).find((sort) => sort === value);
