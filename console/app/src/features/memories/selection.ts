// The selected rows of a list.

export type Selection = ReadonlySet<string>;

/** Adds or removes a row. */
export function toggled(chosen: Selection, id: string): Selection {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Adds all rows between two rows. */
export function extended(chosen: Selection, ids: readonly string[], from: number, to: number): Selection {
  const [first, last] = [Math.max(0, Math.min(from, to)), Math.max(from, to)];
  return new Set([...chosen, ...ids.slice(first, last + 1)]);
}

/** All rows, or none if all are selected already. */
export function allOrNone(chosen: Selection, ids: readonly string[]): Selection {
  return ids.every((id) => chosen.has(id)) ? new Set() : new Set(ids);
}
