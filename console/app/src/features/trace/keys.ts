// The keys of one trace.
import type { ActionSpec } from "../../keys/KeyProvider";

const STEPS = "Steps";

export const TRACE_KEYS: readonly ActionSpec[] = [
  { action: "step-back", label: "Step back", group: STEPS, keys: ["["] },
  { action: "step-on", label: "Step forward", group: STEPS, keys: ["]"] },
  { action: "first-step", label: "First step", group: STEPS, keys: ["Home"] },
  { action: "last-step", label: "Last step", group: STEPS, keys: ["End"] },
  { action: "next-error", label: "Next error", group: STEPS, keys: ["e"] },
  { action: "play", label: "Play, one step a second", group: STEPS, keys: ["p"] },
  { action: "find", label: "Find in the trajectory", group: STEPS, keys: ["/"] },
  { action: "conversation", label: "Show as conversation", group: "View", keys: ["c"] },
  { action: "steps", label: "Show as steps", group: "View", keys: ["l"] },
  { action: "raw", label: "Show raw", group: "View", keys: ["r"] },
  { action: "cancel", label: "Back to the list", group: "View", keys: ["Escape"], whileTyping: true },
];
