// The keys of one trace.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export function traceKeys(): readonly ActionSpec[] {
  const { keys } = t.trace;
  const { steps, view } = t.trace.keyGroups;
  return [
    { action: "step-back", label: keys.stepBack, group: steps, keys: ["["] },
    { action: "step-on", label: keys.stepOn, group: steps, keys: ["]"] },
    { action: "first-step", label: keys.firstStep, group: steps, keys: ["Home"] },
    { action: "last-step", label: keys.lastStep, group: steps, keys: ["End"] },
    { action: "next-error", label: keys.nextError, group: steps, keys: ["e"] },
    { action: "play", label: keys.play, group: steps, keys: ["p"] },
    { action: "find", label: keys.find, group: steps, keys: ["/"] },
    { action: "conversation", label: keys.conversation, group: view, keys: ["c"] },
    { action: "steps", label: keys.steps, group: view, keys: ["l"] },
    { action: "raw", label: keys.raw, group: view, keys: ["r"] },
    { action: "cancel", label: keys.cancel, group: view, keys: ["Escape"], whileTyping: true },
  ];
}
