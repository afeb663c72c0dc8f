// The common filters of the lists of lessons and situations, and how many entries match each of them.
import { type InfiniteData, type QueryKey, useQueryClient } from "@tanstack/react-query";
import type { Lesson } from "../../api/lessons";
import type { StoredMemory } from "../../api/memories";
import type { CommonFilter } from "../../parts/FilterChips";
import { t, type Texts } from "../../texts";

/** Its label is `t.memories.filters[name]`. */
type Name = Exclude<keyof Texts["memories"]["filters"], "label">;
type Rules<Row> = Partial<Record<Name, (row: Row) => boolean>>;

const TERMS: readonly { name: Name; term: string }[] = [
  { name: "active", term: "status:active" },
  { name: "quarantine", term: "status:quarantined" },
  { name: "pinned", term: "pinned:true" },
  { name: "better", term: "credit:>0.5" },
  { name: "worse", term: "credit:<0.5" },
  { name: "superseded", term: "superseded:true" },
  { name: "unused", term: "status:disabled,deleted,merged,retired" },
];

/** A lesson matches if one of its situations does, so the numbers of a lesson do not answer the other filters. */
const OF_LESSONS: Rules<Lesson> = {
  active: (row) => row.status === "active",
  pinned: (row) => row.pinned,
};

const UNUSED = new Set<StoredMemory["status"]>(["disabled", "deleted", "merged", "retired"]);
const OF_SITUATIONS: Rules<StoredMemory> = {
  active: (row) => row.status === "active",
  quarantine: (row) => row.status === "quarantined",
  pinned: (row) => row.pinned,
  better: (row) => row.credit > 0.5,
  worse: (row) => row.credit < 0.5,
  superseded: (row) => row.superseded_by != null,
  unused: (row) => UNUSED.has(row.status),
};

function withCounts<Row>(rules: Rules<Row>, all: readonly Row[] | undefined): CommonFilter[] {
  return TERMS.map(({ name, term }) => {
    const rule = rules[name];
    const count = all === undefined || rule === undefined ? undefined : all.filter(rule).length;
    return {
      label: t.memories.filters[name],
      term,
      count: count === undefined ? undefined : { count, more: false },
    };
  });
}

export const lessonFilters = (all: readonly Lesson[] | undefined) => withCounts(OF_LESSONS, all);
export const situationFilters = (all: readonly StoredMemory[] | undefined) => withCounts(OF_SITUATIONS, all);

type Page<Row> = { rows: Row[]; next: string | undefined };

/**
 * The entries of the list without a filter, if all of them were loaded. They are not loaded for their number alone. The
 * list on the page stays as it is until the user refreshes it; another one counts only until something changes.
 */
export function useLoadedRows<Row>(unfiltered: QueryKey, isOnPage: boolean): readonly Row[] | undefined {
  const state = useQueryClient().getQueryState<InfiniteData<Page<Row>>>(unfiltered);
  const pages = state?.data?.pages;
  if (pages === undefined || pages.at(-1)?.next !== undefined) return undefined;
  if (state?.isInvalidated === true && !isOnPage) return undefined;
  return pages.flatMap((page) => page.rows);
}
