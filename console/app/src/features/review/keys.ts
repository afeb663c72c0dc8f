// The keys of the review page; the terminal has the same.
import type { ActionSpec } from "../../keys/KeyProvider";

const VERDICT = "Verdict";
const LOOK = "Look";
const MANY = "Many at once";

export const REVIEW_KEYS: readonly ActionSpec[] = [
  { action: "pass", label: "Pass", group: VERDICT, keys: ["y", "1"], guarded: true },
  { action: "fail", label: "Fail, and say why", group: VERDICT, keys: ["n", "2"], guarded: true },
  {
    action: "fail-silently",
    label: "Fail without feedback",
    group: VERDICT,
    keys: ["Shift+N"],
    guarded: true,
  },
  { action: "feedback", label: "Write feedback", group: VERDICT, keys: ["f"] },
  { action: "note", label: "Note on the current step", group: VERDICT, keys: ["c"] },
  { action: "submit", label: "Send feedback", group: VERDICT, keys: ["Mod+Enter"], whileTyping: true },
  { action: "cancel", label: "Back out", group: VERDICT, keys: ["Escape"], whileTyping: true },
  { action: "defer", label: "Defer", group: VERDICT, keys: ["d"] },
  { action: "defer-hour", label: "Defer for an hour", group: VERDICT, keys: ["h"] },
  { action: "defer-day", label: "Defer until tomorrow", group: VERDICT, keys: ["t"] },
  { action: "defer-week", label: "Defer until next week", group: VERDICT, keys: ["w"] },
  { action: "skip", label: "Skip, for me and for now", group: VERDICT, keys: ["s", "ArrowRight"] },
  { action: "undo", label: "Undo the last verdict", group: VERDICT, keys: ["u", "z", "Mod+z"] },
  { action: "next", label: "Next run", group: LOOK, keys: ["j"] },
  { action: "previous", label: "Previous run", group: LOOK, keys: ["k", "ArrowLeft"] },
  { action: "open", label: "Whole trajectory", group: LOOK, keys: ["o"] },
  { action: "step-back", label: "Step back", group: LOOK, keys: ["["] },
  { action: "step-on", label: "Step on", group: LOOK, keys: ["]"] },
  { action: "next-error", label: "Next error", group: LOOK, keys: ["e"] },
  { action: "find", label: "Find in the trajectory", group: LOOK, keys: ["/"] },
  { action: "raw", label: "Raw form", group: LOOK, keys: ["r"] },
  { action: "bulk", label: "One verdict for many runs", group: MANY, keys: ["a"] },
];
