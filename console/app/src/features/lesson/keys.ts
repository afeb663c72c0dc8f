// The keys of the lesson page.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export function lessonKeys(): readonly ActionSpec[] {
  const { groups, ...labels } = t.lesson.keys;
  const { edit, lesson } = groups;
  return [
    { action: "edit", label: labels.edit, group: edit, keys: ["e"] },
    { action: "group", label: labels.group, group: edit, keys: ["m"] },
    { action: "split", label: labels.split, group: edit, keys: ["s"] },
    { action: "move", label: labels.move, group: edit, keys: ["v"] },
    { action: "undo", label: labels.undo, group: edit, keys: ["u"] },
    { action: "list", label: labels.list, group: lesson, keys: ["Escape"] },
  ];
}
