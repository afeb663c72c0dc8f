// The orders of the review queue. The URL of the review page contains the order.
import type { QueueOrder } from "../../api/types";

export const ORDERS: readonly QueueOrder[] = ["informative", "newest", "oldest", "errors", "random"];

/** The order in a URL; undefined if it is missing or unknown. */
export const orderOf = (value: unknown): QueueOrder | undefined => ORDERS.find((order) => order === value);
