// The list of lessons: each is one text, with the number of situations that taught it.
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import { errorMessage, isInvalidFilter } from "../../api/errors";
import { type Lesson, lessonRowsQuery } from "../../api/lessons";
import { Key } from "../../keys/Key";
import { useScreenKeys } from "../../keys/KeyProvider";
import { FilterBar, FilterChips } from "../../parts/FilterBar";
import { CommonFilters } from "../../parts/FilterChips";
import { notify } from "../../parts/notifications";
import { useCurrentRow } from "../../parts/useCurrentRow";
import { useNewEvents } from "../../shell/live-updates";
import { Empty, PageHead } from "../../shell/Page";
import { t } from "../../texts";
import { lessonFilters, useLoadedRows } from "./common-filters";
import { NoMemoriesYet, NoMatches } from "./EmptyStates";
import { GroupSheet } from "./GroupSheet";
import { countLabel } from "./labels";
import { lessonsKeys } from "./lesson-keys";
import { LessonTable } from "./LessonTable";
import { allOrNone, extended, type Selection, toggled } from "./selection";
import { DEFAULT_SORT } from "./sort";
import { useMemoryActions } from "./useMemoryActions";
import { ListSwitch, SortField, Views } from "./ViewBar";
import { MEMORY_SUGGESTIONS } from "./views";

const ROUTE = "/p/$project/memories";

export function LessonList() {
  const { project } = useParams({ from: ROUTE });
  const { list: texts } = t.memories;
  const { q = "", sort = DEFAULT_SORT } = useSearch({ from: ROUTE });
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
    ...lessonRowsQuery(project, q, sort),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const all = useLoadedRows<Lesson>(lessonRowsQuery(project, "", sort).queryKey, q === "");
  const ids = useMemo(() => rows.map((row) => row.id), [rows]);
  const { at, choose } = useCurrentRow(`${sort} ${q}`, ids, undefined);
  const [grouping, setGrouping] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const [memories, lessons] = [useNewEvents("memories"), useNewEvents("lessons")];
  // A new run is published under both topics.
  const arrivals = Math.max(memories, lessons) + useNewEvents("actions");
  const [seen, setSeen] = useState(arrivals);

  const setFilter = (text: string) => {
    if (text !== q) void navigate({ search: (now) => ({ ...now, q: text === "" ? undefined : text }) });
  };
  const moveTo = (index: number) => choose(ids[Math.max(0, Math.min(ids.length - 1, index))]);
  const pick = useCallback((index: number) => choose(ids[index]), [choose, ids]);
  const toggle = useCallback((id: string) => setSelected((now) => toggled(now, id)), []);
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const refresh = () => {
    setSeen(arrivals);
    choose(undefined);
    void client.resetQueries({ queryKey: [project, "lesson-rows"] });
  };
  const current = ids[at];
  const extend = (by: number) => {
    setSelected((now) => extended(now, ids, at, at + by));
    moveTo(at + by);
  };
  const group = () => {
    if (selected.size > 1) setGrouping(true);
    else notify({ text: t.memories.selectToGroup });
  };
  useScreenKeys(lessonsKeys(), {
    next: () => moveTo(at + 1),
    previous: () => moveTo(at - 1),
    open: () => {
      if (current !== undefined)
        void navigate({ to: "/p/$project/lessons/$lesson", params: { project, lesson: current } });
    },
    cancel: () => {
      if (document.activeElement === field.current) field.current?.blur();
      else setSelected(new Set());
    },
    filter: () => field.current?.focus(),
    refresh,
    select: () => current !== undefined && toggle(current),
    "extend-down": () => extend(1),
    "extend-up": () => extend(-1),
    group,
    undo: actions.undo,
  });

  const fresh = arrivals - seen;
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
            {selected.size > 1 ? (
              <button type="button" className="btn btn-small" onClick={group}>
                {texts.group} <Key name="m" />
              </button>
            ) : null}
            <button type="button" className="btn btn-small btn-plain" onClick={() => setSelected(new Set())}>
              {texts.clear}
            </button>
          </>
        ) : null}
      </PageHead>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
        <ListSwitch project={project} q={q} sort={sort} list="lessons" />
        <Views project={project} q={q} sort={sort} list="lessons" />
        <SortField
          value={sort}
          onChange={(to) =>
            void navigate({ search: (now) => ({ ...now, sort: to === DEFAULT_SORT ? undefined : to }) })
          }
        />
        <FilterBar
          value={q}
          onChange={setFilter}
          field={field}
          label={texts.filterLessons}
          suggestions={MEMORY_SUGGESTIONS}
          hint={texts.lessonsHint}
        />
        {q === "" && rows.length === 0 ? null : (
          <CommonFilters
            label={t.memories.filters.label}
            filters={lessonFilters(all)}
            value={q}
            onChange={setFilter}
          />
        )}
        <FilterChips value={q} onChange={setFilter} error={error} />
      </div>
      {error !== null ? (
        <Empty title={isInvalidFilter(error) ? texts.invalidFilter : texts.lessonsNotLoaded}>
          <p className="text-fail">{errorMessage(error)}</p>
        </Empty>
      ) : data === undefined ? null : rows.length > 0 ? (
        <div className="flex min-h-0 flex-1">
          <LessonTable
            project={project}
            narrow={false}
            rows={rows}
            at={at}
            selected={selected}
            onAt={pick}
            onSelect={toggle}
            onAll={() => setSelected(allOrNone(selected, ids))}
            onEnd={onEnd}
          />
        </div>
      ) : q === "" ? (
        <NoMemoriesYet project={project} />
      ) : (
        <NoMatches what="lesson" q={q} onChange={setFilter} />
      )}
      {grouping ? (
        <GroupSheet
          project={project}
          lessons={rows.filter((row) => selected.has(row.id))}
          onClose={(done) => {
            setGrouping(false);
            if (done) setSelected(new Set());
          }}
        />
      ) : null}
    </>
  );
}
