// Custom keys: the list of actions, and validation of a choice.
import { type Binding, conflicts, withCustomKeys } from "../../keys/machine";
import type { KeyTable } from "../../pages";
import { t } from "../../texts";

/** New conflicts if an action gets other keys; empty if the choice is valid. */
export function conflictsOf(
  tables: readonly KeyTable[],
  everywhere: readonly Binding[],
  own: Readonly<Record<string, readonly string[]>>,
): string[] {
  const found = tables.flatMap(({ screen, specs }) => {
    const names = new Map<string, string>();
    for (const spec of [...everywhere, ...specs]) names.set(spec.action, label(spec));
    const table = withCustomKeys([...everywhere, ...specs], own);
    const usual = new Set(conflicts([...everywhere, ...specs]));
    return conflicts(table)
      .filter((fault) => !usual.has(fault))
      .map((fault) => t.settings.keyboard.conflict(screen, named(fault, names)));
  });
  return [...new Set(found)];
}

function label(binding: Binding): string {
  return "label" in binding ? String(binding.label) : binding.action;
}

/** Replaces action names in an error with their labels. */
function named(fault: string, names: ReadonlyMap<string, string>): string {
  return fault
    .split(" ")
    .map((word) => (names.has(word) ? t.settings.keyboard.quoted(names.get(word) ?? word) : word))
    .join(" ");
}

/** Sets custom keys for one action. Choosing the default keys removes the custom ones. */
export function withCustomKey(
  own: Readonly<Record<string, string[]>>,
  spec: Binding,
  key: string | null,
): Record<string, string[]> {
  const { [spec.action]: _, ...rest } = own;
  return key === null || (spec.keys.length === 1 && spec.keys[0] === key)
    ? rest
    : { ...rest, [spec.action]: [key] };
}
