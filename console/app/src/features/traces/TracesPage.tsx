// What agents did, newest first.
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { words } from "../../api/failure";
import { rowsQuery } from "../../api/queries";
import { Key } from "../../keys/Key";
import { useScreenKeys } from "../../keys/KeyProvider";
import { Time } from "../../parts/time";
import { useRowAt } from "../../parts/useRowAt";
import { useArrivals } from "../../shell/live";
import { Empty, PageHead } from "../../shell/Page";
import { BulkSheet } from "../review/BulkSheet";
import { Chips, FilterBar } from "./FilterBar";
import { queryOf, TRACE_OFFERS } from "./filter";
import { FirstTrace } from "./FirstTrace";
import { TRACES_KEYS } from "./keys";
import { Peek } from "./Peek";
import { TraceTable } from "./TraceTable";

const ROUTE = "/p/$project/traces";

export function TracesPage() {
  const { project } = useParams({ from: ROUTE });
  const { q = "", peek } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const client = useQueryClient();
  // The same moment for every page of one filter: `since:7d` must not move between them.
  const [asked, setAsked] = useState(() => ({ q, at: Date.now() }));
  if (asked.q !== q) setAsked({ q, at: momentNow() });
  const filter = useMemo(() => queryOf(asked.q, asked.at), [asked]);
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    ...rowsQuery(project, filter),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const ids = useMemo(() => rows.map((row) => row.id), [rows]);
  const { at, choose, isPeeking } = useRowAt(q, ids, peek);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const arrivals = useArrivals();
  const [seen, setSeen] = useState(arrivals);

  const search = (next: { q?: string | undefined; peek?: string | undefined }) =>
    // Back leads to the filter before this one; looks at single runs on the way are not stops.
    void navigate({ search: (now) => ({ ...now, ...next }), replace: !("q" in next) });
  const setFilter = (text: string) => {
    if (text !== q) search({ q: text === "" ? undefined : text, peek: undefined });
  };
  const look = (index: number) => {
    const to = ids[Math.max(0, Math.min(ids.length - 1, index))];
    choose(to);
    if (isPeeking()) search({ peek: to });
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
    look(at + by);
  };
  const pick = useCallback(
    (index: number) => {
      choose(ids[index]);
      void navigate({ search: (now) => ({ ...now, peek: ids[index] }), replace: true });
    },
    [navigate, choose, ids],
  );
  const onEnd = useCallback(() => {
    // A short page may be followed by others; only scrolling on asks for them.
    if (hasNextPage && !isFetching && rows.length > 0) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage, rows.length]);
  const refresh = () => {
    setSeen(arrivals);
    void client.resetQueries({ queryKey: [project, "rows"] });
  };
  const current = ids[at];
  useScreenKeys(TRACES_KEYS, {
    next: () => look(at + 1),
    previous: () => look(at - 1),
    peek: () => search({ peek: current ?? ids[0] }),
    open: () => {
      const trace = current ?? peek;
      if (trace !== undefined) void navigate({ to: "/p/$project/traces/$trace", params: { project, trace } });
    },
    cancel: () => {
      if (document.activeElement === field.current) field.current?.blur();
      else if (isPeeking()) search({ peek: undefined });
      else setSelected(new Set());
    },
    filter: () => field.current?.focus(),
    refresh,
    select: () => current !== undefined && toggle(current),
    "extend-down": () => extend(1),
    "extend-up": () => extend(-1),
    bulk: () => selected.size > 0 && setBulk(true),
  });

  // A page that waits for its first run shows it when it comes; nobody is reading anything that could move.
  const waiting = q === "" && data !== undefined && rows.length === 0;
  useEffect(() => {
    if (waiting && arrivals > 0) void client.invalidateQueries({ queryKey: [project, "rows"] });
  }, [waiting, arrivals, client, project]);

  const fresh = arrivals - seen;
  const last = rows.at(-1);
  return (
    <>
      <PageHead
        title="Traces"
        about={data === undefined ? "" : countLabel(rows.length, hasNextPage, q !== "")}
      >
        {fresh > 0 ? (
          <button type="button" className="btn btn-small" onClick={refresh}>
            {fresh} new <Key name="." />
          </button>
        ) : null}
        {selected.size > 0 ? (
          <>
            <span className="text-sm text-soft">{selected.size} selected</span>
            <button type="button" className="btn btn-small" onClick={() => setBulk(true)}>
              Review them <Key name="a" />
            </button>
            <button type="button" className="btn btn-small btn-plain" onClick={() => setSelected(new Set())}>
              Clear
            </button>
          </>
        ) : null}
      </PageHead>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
        <FilterBar
          value={q}
          onChange={setFilter}
          field={field}
          label="Filter traces"
          offers={TRACE_OFFERS}
          hint="status:pending error:true model:gpt-5* since:7d words  (/)"
        />
        <Chips value={q} onChange={setFilter} />
      </div>
      {error !== null ? (
        <Empty title="The traces could not be read">
          <p className="text-fail">{words(error)}</p>
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
            <Peek project={project} trace={peek} onClose={() => search({ peek: undefined })} />
          )}
        </div>
      ) : q === "" ? (
        <FirstTrace project={project} />
      ) : (
        <Empty title="No trace matches">
          <Chips value={q} onChange={setFilter} />
          <p className="flex gap-2">
            <button type="button" className="btn" onClick={() => setFilter("")}>
              Clear the filter
            </button>
            {hasNextPage ? (
              <button type="button" className="btn" onClick={() => void fetchNextPage()}>
                Look further back
              </button>
            ) : null}
          </p>
        </Empty>
      )}
      {q !== "" && hasNextPage && last !== undefined ? (
        <p className="border-t border-line px-4 py-1 text-xs text-soft">
          Searched back to <Time at={last.created_at} />.{" "}
          <button type="button" className="link" onClick={() => void fetchNextPage()}>
            Look further
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

const momentNow = () => Date.now();

function countLabel(count: number, more: boolean, filtered: boolean): string {
  if (!filtered) return `${count.toLocaleString()}${more ? "+" : ""} stored`;
  return `${count.toLocaleString()} match${more ? " so far" : ""}`;
}
