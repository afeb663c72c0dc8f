// The types of events, in display order.
import type { Schemas } from "../../api/types";

export const EVENT_TYPES = [
  "review.needed",
  "memory.created",
  "memory.quarantined",
  "health.changed",
  "judge.stopped",
] as const satisfies readonly Schemas["WebhookEventType"][];
