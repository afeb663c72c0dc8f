import type { ReactNode } from "react";
import { atLeast, counted } from "../../../parts/time";

export const actions = {
  title: "Actions",
  newestFirst: (count: number, more: boolean) =>
    `${atLeast(count, more)} ${count === 1 && !more ? "action" : "actions"}, newest first`,
  undoActions: "undo actions",
  automatic: "Also show automatic changes",
  automaticHint: (link: ReactNode) => (
    <>
      Changes by the server, for example a run that joined a lesson. You can undo them here. To revert the
      grouping of older memories, go to {link}.
    </>
  ),
  lessonSettings: "the lesson settings",
  none: "No actions yet. Changes to lessons and verdicts for many runs appear here, and you can undo them in any order.",
  line: (what: ReactNode, actor: string, time: ReactNode) => (
    <>
      {what} by {actor} {time}
    </>
  ),
  changed: (memories: number, reviews: number) =>
    `${counted(memories, "memory", "memories")} changed${reviews === 0 ? "" : `, ${counted(reviews, "run", "runs")} reviewed`}`,
  changedAndUndone: (changed: string, actor: string, time: ReactNode) => (
    <>
      {changed}; undone by {actor} {time}
    </>
  ),
  unknown: "unknown",
  details: "Details",
  undo: "Undo",
  undoNamed: (action: string) => `Undo: ${action}`,
  undone: "Undone. Other changes are kept.",
  showOlder: "Show older actions",
  kinds: {
    "memory.write": "Lesson written",
    "memory.edit": "Lesson edited",
    "memory.merge": "Lessons merged",
    "memory.disable": "Lesson disabled",
    "memory.enable": "Lesson enabled",
    "memory.pin": "Lesson pinned",
    "memory.unpin": "Lesson unpinned",
    "memory.quarantine": "Lesson quarantined",
    "memory.release": "Lesson released",
    "memory.delete": "Lesson deleted",
    "memory.erase": "Lesson erased",
    "review.bulk": "One verdict for many runs",
  },
};
