// The keys of the review page; the terminal UI has the same.
import type { ActionSpec } from "../../keys/KeyProvider";

const VERDICT = "Verdict";
const LOOK = "View";
const BULK = "Bulk actions";

export const REVIEW_KEYS: readonly ActionSpec[] = [
  { action: "pass", label: "Pass", group: VERDICT, keys: ["y", "1"], guarded: true },
  { action: "fail", label: "Fail with feedback", group: VERDICT, keys: ["n", "2"], guarded: true },
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
  { action: "cancel", label: "Cancel", group: VERDICT, keys: ["Escape"], whileTyping: true },
  { action: "defer", label: "Defer", group: VERDICT, keys: ["d"] },
  { action: "defer-hour", label: "Defer for an hour", group: VERDICT, keys: ["h"] },
  { action: "defer-day", label: "Defer until tomorrow", group: VERDICT, keys: ["t"] },
  { action: "defer-week", label: "Defer until next week", group: VERDICT, keys: ["w"] },
  { action: "skip", label: "Skip for this session", group: VERDICT, keys: ["s", "ArrowRight"] },
  { action: "undo", label: "Undo the last verdict", group: VERDICT, keys: ["u", "z", "Mod+z"] },
  { action: "next", label: "Next run", group: LOOK, keys: ["j"] },
  { action: "previous", label: "Previous run", group: LOOK, keys: ["k", "ArrowLeft"] },
  { action: "open", label: "Full trajectory", group: LOOK, keys: ["o"] },
  { action: "step-back", label: "Step back", group: LOOK, keys: ["["] },
  { action: "step-on", label: "Step forward", group: LOOK, keys: ["]"] },
  { action: "next-error", label: "Next error", group: LOOK, keys: ["e"] },
  { action: "find", label: "Find in the trajectory", group: LOOK, keys: ["/"] },
  { action: "raw", label: "Show raw", group: LOOK, keys: ["r"] },
  { action: "bulk", label: "One verdict for many runs", group: BULK, keys: ["a"] },
];
