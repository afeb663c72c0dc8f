// Which question is shown. It is stored by id: a refetched list may have moved it, and a key must not answer
// another question.

/** The question on screen, and its last place in the list. */
export type ShownQuestion = { id: string | undefined; place: number };

/** The place of the shown question. If it is gone, the place stays, so that the next one follows. */
export function placeOf(ids: readonly string[], shown: ShownQuestion): number {
  const place = shown.id === undefined ? -1 : ids.indexOf(shown.id);
  return place === -1 ? Math.max(0, Math.min(shown.place, ids.length - 1)) : place;
}
