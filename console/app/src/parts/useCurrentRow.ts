// The row that keys act on. It is stored by id and not by index: a refetched list may have moved the row, and a
// key must not act on another row.
import { useRouter } from "@tanstack/react-router";
import { useCallback, useState } from "react";

/** In another `list` (another filter or order) no row is selected yet. */
export function useCurrentRow(list: string, ids: readonly string[], peek: string | undefined) {
  const router = useRouter();
  const [chosen, setChosen] = useState<{ list: string; id: string | undefined }>({ list, id: undefined });
  const id = (chosen.list === list ? chosen.id : undefined) ?? peek;
  return {
    /**
     * The current index of the row; -1 without one. After a reload with an open preview, it is the previewed
     * row.
     */
    at: id === undefined ? -1 : ids.indexOf(id),
    choose: useCallback((row: string | undefined) => setChosen({ list, id: row }), [list]),
    /** Whether a preview is open or about to open. */
    isPreviewOpen: () => (router.latestLocation.search as { peek?: string }).peek !== undefined,
  };
}
