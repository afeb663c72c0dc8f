// The kinds of actions in words.
import { t } from "../../texts";
import { describeChange } from "../lesson/change-text";

/** What was done, as a short text. A newer server may send other kinds. */
export function actionText(action: { kind: string; summary: object }): string {
  const kinds: Readonly<Record<string, string>> = t.settings.actions.kinds;
  return kinds[action.kind] ?? describeChange(action).text.replace(/\.$/, "");
}
