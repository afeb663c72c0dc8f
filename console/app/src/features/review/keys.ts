// The keys of the review page; the terminal UI has the same.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export function reviewKeys(): readonly ActionSpec[] {
  const { keys } = t.review;
  const { verdict, view, bulk } = t.review.keyGroups;
  return [
    { action: "pass", label: keys.pass, group: verdict, keys: ["y", "1"], guarded: true },
    { action: "fail", label: keys.fail, group: verdict, keys: ["n", "2"], guarded: true },
    { action: "fail-silently", label: keys.failSilently, group: verdict, keys: ["Shift+N"], guarded: true },
    { action: "feedback", label: keys.feedback, group: verdict, keys: ["f"] },
    { action: "note", label: keys.note, group: verdict, keys: ["c"] },
    { action: "submit", label: keys.submit, group: verdict, keys: ["Mod+Enter"], whileTyping: true },
    { action: "cancel", label: keys.cancel, group: verdict, keys: ["Escape"], whileTyping: true },
    { action: "defer", label: keys.defer, group: verdict, keys: ["d"] },
    { action: "defer-hour", label: keys.deferHour, group: verdict, keys: ["h"] },
    { action: "defer-day", label: keys.deferDay, group: verdict, keys: ["t"] },
    { action: "defer-week", label: keys.deferWeek, group: verdict, keys: ["w"] },
    { action: "skip", label: keys.skip, group: verdict, keys: ["s", "ArrowRight"] },
    { action: "undo", label: keys.undo, group: verdict, keys: ["u", "z", "Mod+z"] },
    { action: "next", label: keys.next, group: view, keys: ["j"] },
    { action: "previous", label: keys.previous, group: view, keys: ["k", "ArrowLeft"] },
    { action: "open", label: keys.open, group: view, keys: ["o"] },
    { action: "step-back", label: keys.stepBack, group: view, keys: ["["] },
    { action: "step-on", label: keys.stepOn, group: view, keys: ["]"] },
    { action: "next-error", label: keys.nextError, group: view, keys: ["e"] },
    { action: "find", label: keys.find, group: view, keys: ["/"] },
    { action: "raw", label: keys.raw, group: view, keys: ["r"] },
    { action: "bulk", label: keys.bulk, group: bulk, keys: ["a"] },
  ];
}
