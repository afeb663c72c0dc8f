// The sort orders of the memory list. The URL of the page contains the order.
import type { MemorySort } from "../../api/memories";

export const SORTS: readonly MemorySort[] = ["attention", "harm", "newest", "utility", "evidence"];

export const DEFAULT_SORT: MemorySort = "newest";

/** The order in a URL; undefined if it is missing or unknown. */
export const sortOf = (value: unknown): MemorySort | undefined => SORTS.find((sort) => sort === value);
