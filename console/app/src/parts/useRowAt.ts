// The row that keys act on. It is kept by what it is and not by where it stands: a list that is read again may have moved
// it, and a key that was meant for one row must not reach another.
import { useRouter } from "@tanstack/react-router";
import { useCallback, useState } from "react";

/** Of another `list`, by filter or by order, no row is chosen yet. */
export function useRowAt(list: string, ids: readonly string[], peek: string | undefined) {
  const router = useRouter();
  const [chosen, setChosen] = useState<{ list: string; id: string | undefined }>({ list, id: undefined });
  const id = (chosen.list === list ? chosen.id : undefined) ?? peek;
  return {
    /** Where the row is now; -1 without one. After a reload with a peek open, it is the one that is peeked at. */
    at: id === undefined ? -1 : ids.indexOf(id),
    choose: useCallback((row: string | undefined) => setChosen({ list, id: row }), [list]),
    /** Whether there is a peek, also one that was asked for and is not shown yet. */
    isPeeking: () => (router.latestLocation.search as { peek?: string }).peek !== undefined,
  };
}
