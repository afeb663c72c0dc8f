// The list of traces, newest first.
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { errorMessage, isInvalidFilter } from "../../api/errors";
import { rowsQuery } from "../../api/queries";
import { Key } from "../../keys/Key";
import { useScreenKeys } from "../../keys/KeyProvider";
import { Time } from "../../parts/time";
import { useCurrentRow } from "../../parts/useCurrentRow";
import { useNewEvents } from "../../shell/live-updates";
import { Empty, PageHead } from "../../shell/Page";
import { t } from "../../texts";
import { BulkSheet } from "../review/BulkSheet";
import { FilterBar, FilterChips } from "../../parts/FilterBar";
import { TRACE_SUGGESTIONS } from "./suggestions";
import { FirstTrace } from "./FirstTrace";
import { tracesKeys } from "./keys";
import { QuickFilters } from "./QuickFilters";
import { TracePreview } from "./TracePreview";
import { TraceTable } from "./TraceTable";

const ROUTE = "/p/$project/traces";

export function TracesPage() {
  const { project } = useParams({ from: ROUTE });
  const { q = "", peek } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const client = useQueryClient();
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    ...rowsQuery(project, q),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const ids = useMemo(() => rows.map((row) => row.id), [rows]);
  const { at, choose, isPreviewOpen } = useCurrentRow(q, ids, peek);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const arrivals = useNewEvents();
  const [seen, setSeen] = useState(arrivals);

  const search = (next: { q?: string | undefined; peek?: string | undefined }) =>
    // The browser's back button returns to the previous filter, not to a previous preview.
    void navigate({ search: (now) => ({ ...now, ...next }), replace: !("q" in next) });
  const setFilter = (text: string) => {
    if (text !== q) search({ q: text === "" ? undefined : text, peek: undefined });
  };
  const moveTo = (index: number) => {
    const to = ids[Math.max(0, Math.min(ids.length - 1, index))];
    choose(to);
    if (isPreviewOpen()) search({ peek: to });
  };
  const toggle = useCallback(
    (id: string) =>
      setSelected((now) => {
        const next = new Set(now);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const extend = (by: number) => {
    const [here, there] = [ids[at], ids[at + by]];
    setSelected(
      (now) =>
        new Set([...now, ...(here === undefined ? [] : [here]), ...(there === undefined ? [] : [there])]),
    );
    moveTo(at + by);
  };
  const pick = useCallback(
    (index: number) => {
      choose(ids[index]);
      void navigate({ search: (now) => ({ ...now, peek: ids[index] }), replace: true });
    },
    [navigate, choose, ids],
  );
  const onEnd = useCallback(() => {
    // A page may be short although more follow. Only scrolling loads the next one.
    if (hasNextPage && !isFetching && rows.length > 0) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage, rows.length]);
  const refresh = () => {
    setSeen(arrivals);
    void client.resetQueries({ queryKey: [project, "rows"] });
  };
  const current = ids[at];
  useScreenKeys(tracesKeys(), {
    next: () => moveTo(at + 1),
    previous: () => moveTo(at - 1),
    peek: () => search({ peek: current ?? ids[0] }),
    open: () => {
      const trace = current ?? peek;
      if (trace !== undefined) void navigate({ to: "/p/$project/traces/$trace", params: { project, trace } });
    },
    cancel: () => {
      if (document.activeElement === field.current) field.current?.blur();
      else if (isPreviewOpen()) search({ peek: undefined });
      else setSelected(new Set());
    },
    filter: () => field.current?.focus(),
    refresh,
    select: () => current !== undefined && toggle(current),
    "extend-down": () => extend(1),
    "extend-up": () => extend(-1),
    bulk: () => selected.size > 0 && setBulk(true),
  });

  // An empty page shows the first run at once, because no content can shift.
  const waiting = q === "" && data !== undefined && rows.length === 0;
  useEffect(() => {
    if (waiting && arrivals > 0) void client.invalidateQueries({ queryKey: [project, "rows"] });
  }, [waiting, arrivals, client, project]);

  const texts = t.traces;
  const fresh = arrivals - seen;
  const last = rows.at(-1);
  return (
    <>
      <PageHead
        title={texts.title}
        about={data === undefined ? "" : (q === "" ? texts.stored : texts.matches)(rows.length, hasNextPage)}
      >
        {fresh > 0 ? (
          <button type="button" className="btn btn-small" onClick={refresh}>
            {texts.newRuns(fresh)} <Key name="." />
          </button>
        ) : null}
        {selected.size > 0 ? (
          <>
            <span className="text-sm text-soft">{texts.selected(selected.size)}</span>
            <button type="button" className="btn btn-small" onClick={() => setBulk(true)}>
              {texts.reviewSelected} <Key name="a" />
            </button>
            <button type="button" className="btn btn-small btn-plain" onClick={() => setSelected(new Set())}>
              {texts.clearSelection}
            </button>
          </>
        ) : null}
      </PageHead>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
        <FilterBar
          value={q}
          onChange={setFilter}
          field={field}
          label={texts.filter.label}
          suggestions={TRACE_SUGGESTIONS}
          hint={texts.filter.hint}
        />
        {waiting ? null : <QuickFilters project={project} value={q} onChange={setFilter} />}
        <FilterChips value={q} onChange={setFilter} error={error} />
      </div>
      {error !== null ? (
        <Empty title={isInvalidFilter(error) ? texts.filter.invalid : texts.loadFailed}>
          <p className="text-fail">{errorMessage(error)}</p>
        </Empty>
      ) : data === undefined ? null : rows.length > 0 ? (
        <div className="flex min-h-0 flex-1">
          <TraceTable
            project={project}
            narrow={peek !== undefined}
            rows={rows}
            at={at}
            selected={selected}
            onAt={pick}
            onSelect={toggle}
            onEnd={onEnd}
          />
          {peek === undefined ? null : (
            <TracePreview project={project} trace={peek} onClose={() => search({ peek: undefined })} />
          )}
        </div>
      ) : q === "" ? (
        <FirstTrace project={project} />
      ) : (
        <Empty title={texts.filter.noMatch}>
          <FilterChips value={q} onChange={setFilter} error={null} />
          <p className="flex gap-2">
            <button type="button" className="btn" onClick={() => setFilter("")}>
              {texts.filter.clear}
            </button>
            {hasNextPage ? (
              <button type="button" className="btn" onClick={() => void fetchNextPage()}>
                {texts.filter.searchFurtherBack}
              </button>
            ) : null}
          </p>
        </Empty>
      )}
      {q !== "" && hasNextPage && last !== undefined ? (
        <p className="border-t border-line px-4 py-1 text-xs text-soft">
          {texts.filter.searchedBackTo(<Time at={last.created_at} />)}{" "}
          <button type="button" className="link" onClick={() => void fetchNextPage()}>
            {texts.filter.searchFurther}
          </button>
        </p>
      ) : null}
      {bulk ? (
        <BulkSheet
          project={project}
          which={{ trace_ids: [...selected] }}
          onClose={(done) => {
            setBulk(false);
            if (done) {
              setSelected(new Set());
              refresh();
            }
          }}
        />
      ) : null}
    </>
  );
}
