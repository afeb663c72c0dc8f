// Somebody's own keys: which actions there are, and what would be wrong with a choice.
import type { ActionSpec } from "../../keys/KeyProvider";
import { type Binding, faults, remapped } from "../../keys/machine";

/** One screen: what can be done there, beside what can be done everywhere. */
export type Table = { screen: string; specs: readonly ActionSpec[] };

/** What is new and wrong with the tables when an action gets other keys; nothing when the choice is good. */
export function faultsOf(
  tables: readonly Table[],
  everywhere: readonly Binding[],
  own: Readonly<Record<string, readonly string[]>>,
): string[] {
  const found = tables.flatMap(({ screen, specs }) => {
    const names = new Map<string, string>();
    for (const spec of [...everywhere, ...specs]) names.set(spec.action, label(spec));
    const table = remapped([...everywhere, ...specs], own);
    const usual = new Set(faults([...everywhere, ...specs]));
    return faults(table)
      .filter((fault) => !usual.has(fault))
      .map((fault) => `${screen}: ${named(fault, names)}.`);
  });
  return [...new Set(found)];
}

function label(binding: Binding): string {
  return "label" in binding ? String(binding.label) : binding.action;
}

/** The machine names actions by their word; people know them by their label. */
function named(fault: string, names: ReadonlyMap<string, string>): string {
  return fault
    .split(" ")
    .map((word) => (names.has(word) ? `“${names.get(word) ?? word}”` : word))
    .join(" ");
}

/** Other keys for one action; the usual ones are no choice of one's own. */
export function withKey(
  own: Readonly<Record<string, string[]>>,
  spec: Binding,
  key: string | null,
): Record<string, string[]> {
  const { [spec.action]: _, ...rest } = own;
  return key === null || (spec.keys.length === 1 && spec.keys[0] === key)
    ? rest
    : { ...rest, [spec.action]: [key] };
}
