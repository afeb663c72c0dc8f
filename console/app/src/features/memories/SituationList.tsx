// The list of all situations, which the API calls memories, and the actions on them.
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import { errorMessage, isInvalidFilter } from "../../api/errors";
import { memoryRowsQuery, type MemorySort, type StoredMemory } from "../../api/memories";
import { Key } from "../../keys/Key";
import { useScreenKeys } from "../../keys/KeyProvider";
import { useCurrentRow } from "../../parts/useCurrentRow";
import { useNewEvents } from "../../shell/live-updates";
import { Empty, PageHead } from "../../shell/Page";
import { notify } from "../../parts/notifications";
import { t } from "../../texts";
import { EditSheet } from "./EditSheet";
import { MergeSheet } from "./MergeSheet";
import { nearestActive } from "./nearest";
import { FilterBar, FilterChips } from "../../parts/FilterBar";
import { CommonFilters } from "../../parts/FilterChips";
import { BulkEditSheet } from "./BulkEditSheet";
import { situationFilters, useLoadedRows } from "./common-filters";
import { DEFAULT_SORT } from "./sort";
import { MEMORY_SUGGESTIONS } from "./views";
import { memoriesKeys } from "./keys";
import { MemoryPreview } from "./MemoryPreview";
import { MemoryTable } from "./MemoryTable";
import { NoMemoriesYet, NoMatches } from "./EmptyStates";
import { allOrNone, type Selection, extended, toggled } from "./selection";
import { SourceSheet } from "./SourceSheet";
import { useMemoryActions } from "./useMemoryActions";
import { ListSwitch, SortField, Views } from "./ViewBar";
import { countLabel, pinVerb, presenceVerb, quarantineVerb } from "./labels";

const ROUTE = "/p/$project/memories";

type Sheet =
  | { kind: "edit"; id: string }
  | { kind: "merge"; ids: readonly string[] }
  | { kind: "selection" | "matches" | "source" };

export function SituationList() {
  const { project } = useParams({ from: ROUTE });
  const { list: texts, bulk } = t.memories;
  const { q = "", sort = DEFAULT_SORT, peek } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const client = useQueryClient();
  const actions = useMemoryActions(project);
  const [applied, setApplied] = useState({ q, sort });
  const [selected, setSelected] = useState<Selection>(new Set());
  if (applied.q !== q || applied.sort !== sort) {
    // A different filter or order is a different list, so the selection is cleared.
    setApplied({ q, sort });
    setSelected(new Set());
  }
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    ...memoryRowsQuery(project, q, sort),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const all = useLoadedRows<StoredMemory>(memoryRowsQuery(project, "", sort).queryKey, q === "");
  const ids = useMemo(() => rows.map((row) => row.id), [rows]);
  const { at, choose, isPreviewOpen } = useCurrentRow(`${sort} ${q}`, ids, peek);
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const arrivals = useNewEvents("memories") + useNewEvents("actions");
  const [seen, setSeen] = useState(arrivals);

  const search = (next: {
    q?: string | undefined;
    sort?: MemorySort | undefined;
    peek?: string | undefined;
  }) => void navigate({ search: (now) => ({ ...now, ...next }), replace: "peek" in next });
  const setFilter = (text: string) => {
    if (text === q) return;
    void navigate({ search: (now) => ({ ...now, q: text === "" ? undefined : text, peek: undefined }) });
  };
  const moveTo = (index: number) => {
    const to = ids[Math.max(0, Math.min(ids.length - 1, index))];
    choose(to);
    if (isPreviewOpen()) search({ peek: to });
  };
  const pick = useCallback(
    (index: number) => {
      choose(ids[index]);
      void navigate({ search: (now) => ({ ...now, peek: ids[index] }), replace: true });
    },
    [navigate, choose, ids],
  );
  const toggle = useCallback((id: string) => setSelected((now) => toggled(now, id)), []);
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const refresh = () => {
    setSeen(arrivals);
    choose(undefined);
    void client.resetQueries({ queryKey: [project, "memory-rows"] });
  };
  const current = rows[at];
  const extend = (by: number) => {
    setSelected((now) => extended(now, ids, at, at + by));
    moveTo(at + by);
  };
  const act = (verb: ReturnType<typeof presenceVerb>) => {
    if (current === undefined) return;
    if (verb === null) notify({ text: t.memories.notPossible(current.status) });
    else void actions.verb(current.id, verb);
  };
  const merge = async () => {
    if (selected.size > 1) return setSheet({ kind: "merge", ids: [...selected] });
    if (current === undefined) return;
    const other = await nearestActive(client, project, current.id);
    if (other === undefined) notify({ text: t.memories.noneToMerge });
    else setSheet({ kind: "merge", ids: [current.id, other] });
  };
  useScreenKeys(memoriesKeys(), {
    next: () => moveTo(at + 1),
    previous: () => moveTo(at - 1),
    peek: () => search({ peek: current?.id ?? ids[0] }),
    open: () => {
      const memory = current?.id ?? peek;
      if (memory !== undefined)
        void navigate({ to: "/p/$project/memories/$memory", params: { project, memory } });
    },
    cancel: () => {
      if (document.activeElement === field.current) field.current?.blur();
      else if (isPreviewOpen()) search({ peek: undefined });
      else setSelected(new Set());
    },
    filter: () => field.current?.focus(),
    refresh,
    edit: () => {
      if (current === undefined) return;
      if (current.status === "erased") notify({ text: t.memories.erasedHasNoText });
      else setSheet({ kind: "edit", id: current.id });
    },
    disable: () => current !== undefined && act(presenceVerb(current)),
    pin: () => current !== undefined && act(pinVerb(current)),
    quarantine: () => current !== undefined && act(quarantineVerb(current)),
    undo: actions.undo,
    select: () => current !== undefined && toggle(current.id),
    "extend-down": () => extend(1),
    "extend-up": () => extend(-1),
    merge: () => void merge().catch((thrown: unknown) => notify({ text: errorMessage(thrown), tone: "bad" })),
    bulk: () => selected.size > 0 && setSheet({ kind: "selection" }),
    retire: () => setSheet({ kind: "source" }),
  });
  const closeBulk = (done: boolean) => {
    setSheet(null);
    if (done) setSelected(new Set());
  };

  const fresh = arrivals - seen;
  const editing = sheet?.kind === "edit" ? rows.find((row) => row.id === sheet.id) : undefined;
  return (
    <>
      <PageHead
        title={t.memories.title}
        about={data === undefined ? "" : countLabel(rows.length, hasNextPage, q !== "")}
      >
        {fresh > 0 ? (
          <button type="button" className="btn btn-small" onClick={refresh}>
            {texts.changed(fresh)} <Key name="." />
          </button>
        ) : null}
        {selected.size > 0 ? (
          <>
            <span className="text-sm text-soft">{texts.selected(selected.size)}</span>
            <button type="button" className="btn btn-small" onClick={() => setSheet({ kind: "selection" })}>
              {texts.changeSelection} <Key name="a" />
            </button>
            {selected.size > 1 ? (
              <button
                type="button"
                className="btn btn-small"
                onClick={() => setSheet({ kind: "merge", ids: [...selected] })}
              >
                {texts.merge} <Key name="m" />
              </button>
            ) : null}
            <button type="button" className="btn btn-small btn-plain" onClick={() => setSelected(new Set())}>
              {texts.clear}
            </button>
          </>
        ) : (
          <>
            {q !== "" && rows.length > 0 ? (
              <button type="button" className="btn btn-small" onClick={() => setSheet({ kind: "matches" })}>
                {texts.changeMatches}
              </button>
            ) : null}
            <button
              type="button"
              className="btn btn-small btn-plain ms-2 text-fail"
              onClick={() => setSheet({ kind: "source" })}
            >
              {texts.removeBySource}
            </button>
          </>
        )}
      </PageHead>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
        <ListSwitch project={project} q={q} sort={sort} list="situations" />
        <Views project={project} q={q} sort={sort} list="situations" />
        <SortField value={sort} onChange={(to) => search({ sort: to === DEFAULT_SORT ? undefined : to })} />
        <FilterBar
          value={q}
          onChange={setFilter}
          field={field}
          label={texts.filterMemories}
          suggestions={MEMORY_SUGGESTIONS}
          hint={texts.memoriesHint}
        />
        {q === "" && rows.length === 0 ? null : (
          <CommonFilters
            label={t.memories.filters.label}
            filters={situationFilters(all)}
            value={q}
            onChange={setFilter}
          />
        )}
        <FilterChips value={q} onChange={setFilter} error={error} />
      </div>
      {error !== null ? (
        <Empty title={isInvalidFilter(error) ? texts.invalidFilter : texts.memoriesNotLoaded}>
          <p className="text-fail">{errorMessage(error)}</p>
        </Empty>
      ) : data === undefined ? null : rows.length > 0 ? (
        <div className="flex min-h-0 flex-1">
          <MemoryTable
            project={project}
            narrow={peek !== undefined}
            rows={rows}
            at={at}
            selected={selected}
            onAt={pick}
            onSelect={toggle}
            onAll={() => setSelected(allOrNone(selected, ids))}
            onEnd={onEnd}
          />
          {peek === undefined ? null : (
            <MemoryPreview project={project} memory={peek} onClose={() => search({ peek: undefined })} />
          )}
        </div>
      ) : q === "" ? (
        <NoMemoriesYet project={project} />
      ) : (
        <NoMatches what="memory" q={q} onChange={setFilter} />
      )}
      {editing === undefined ? null : (
        <EditSheet project={project} memory={editing} onClose={() => setSheet(null)} />
      )}
      {sheet?.kind === "merge" ? <MergeSheet project={project} ids={sheet.ids} onClose={closeBulk} /> : null}
      {sheet?.kind === "source" ? <SourceSheet project={project} onClose={closeBulk} /> : null}
      {sheet?.kind === "selection" ? (
        <BulkEditSheet
          project={project}
          title={bulk.selection}
          which={{ filter: { ids: [...selected] } }}
          first="disable"
          onClose={closeBulk}
        >
          <p className="text-soft">{bulk.selected(selected.size)}</p>
        </BulkEditSheet>
      ) : null}
      {sheet?.kind === "matches" ? (
        <BulkEditSheet
          project={project}
          title={bulk.matches}
          which={{ q }}
          first="disable"
          onClose={closeBulk}
        >
          <p className="text-soft">{bulk.matching(<code>{q}</code>)}</p>
        </BulkEditSheet>
      ) : null}
    </>
  );
}
