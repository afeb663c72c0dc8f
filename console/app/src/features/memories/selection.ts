// Which rows of a list are chosen.

export type Chosen = ReadonlySet<string>;

/** Adds a row, or takes it out. */
export function toggled(chosen: Chosen, id: string): Chosen {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Adds the rows that were passed while going from one to another. */
export function extended(chosen: Chosen, ids: readonly string[], from: number, to: number): Chosen {
  const [first, last] = [Math.max(0, Math.min(from, to)), Math.max(from, to)];
  return new Set([...chosen, ...ids.slice(first, last + 1)]);
}

/** All rows, or none when all are chosen already. */
export function allOrNone(chosen: Chosen, ids: readonly string[]): Chosen {
  return ids.every((id) => chosen.has(id)) ? new Set() : new Set(ids);
}
