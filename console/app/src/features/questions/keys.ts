// The keys of the questions page.
import type { ActionSpec } from "../../keys/KeyProvider";
import { t } from "../../texts";

export function questionsKeys(): readonly ActionSpec[] {
  const { groups, ...labels } = t.questions.keys;
  const { answer, list } = groups;
  return [
    { action: "first", label: labels.first, group: answer, keys: ["1"] },
    { action: "second", label: labels.second, group: answer, keys: ["2"] },
    { action: "both", label: labels.both, group: answer, keys: ["b"] },
    { action: "same", label: labels.same, group: answer, keys: ["s"] },
    { action: "undo", label: labels.undo, group: answer, keys: ["u"] },
    { action: "next", label: labels.next, group: list, keys: ["j"] },
    { action: "previous", label: labels.previous, group: list, keys: ["k"] },
  ];
}
