// What has been learned: the list of memories, and the care for them.
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import { words } from "../../api/failure";
import { memoryRowsQuery, type MemorySort } from "../../api/memories";
import { Key } from "../../keys/Key";
import { useScreenKeys } from "../../keys/KeyProvider";
import { useRowAt } from "../../parts/useRowAt";
import { useArrivals } from "../../shell/live";
import { Empty, PageHead } from "../../shell/Page";
import { tell } from "../../shell/toasts";
import { EditSheet } from "../memory/EditSheet";
import { MergeSheet } from "../memory/MergeSheet";
import { nearest } from "../memory/nearest";
import { Chips, FilterBar } from "../traces/FilterBar";
import { CareSheet } from "./CareSheet";
import { MEMORY_OFFERS, memoriesQueryOf, memoryWords, selectionOf, USUAL_SORT } from "./filter";
import { MEMORIES_KEYS } from "./keys";
import { MemoryPeek } from "./MemoryPeek";
import { MemoryTable } from "./MemoryTable";
import { NothingLearned, NothingMatches } from "./NoMemories";
import { allOrNone, type Chosen, extended, toggled } from "./selection";
import { SourceSheet } from "./SourceSheet";
import { useCare } from "./useCare";
import { SortField, Views } from "./ViewBar";
import { pinVerb, presenceVerb, quarantineVerb } from "./wording";

const ROUTE = "/p/$project/memories";

type Sheet =
  | { kind: "edit"; id: string }
  | { kind: "merge"; ids: readonly string[] }
  | { kind: "selection" | "matches" | "source" };

export function MemoriesPage() {
  const { project } = useParams({ from: ROUTE });
  const { q = "", sort = USUAL_SORT, peek } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const client = useQueryClient();
  const care = useCare(project);
  // The same moment for every page of one filter: `since:7d` must not move between them.
  const [asked, setAsked] = useState(() => ({ q, sort, at: Date.now() }));
  const [selected, setSelected] = useState<Chosen>(new Set());
  if (asked.q !== q || asked.sort !== sort) {
    // Another list, whichever way it was asked for: nothing of it is chosen.
    setAsked({ q, sort, at: momentNow() });
    setSelected(new Set());
  }
  const filter = useMemo(() => memoriesQueryOf(asked.q, asked.at), [asked]);
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    ...memoryRowsQuery(project, { ...filter, sort }),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const ids = useMemo(() => rows.map((row) => row.id), [rows]);
  const { at, choose, isPeeking } = useRowAt(`${sort} ${q}`, ids, peek);
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const arrivals = useArrivals("memories") + useArrivals("actions");
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
  const look = (index: number) => {
    const to = ids[Math.max(0, Math.min(ids.length - 1, index))];
    choose(to);
    if (isPeeking()) search({ peek: to });
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
    look(at + by);
  };
  const act = (verb: ReturnType<typeof presenceVerb>) => {
    if (current === undefined) return;
    if (verb === null) tell({ text: `That cannot be done to a memory that is ${current.status}.` });
    else void care.verb(current.id, verb);
  };
  const merge = async () => {
    if (selected.size > 1) return setSheet({ kind: "merge", ids: [...selected] });
    if (current === undefined) return;
    const other = await nearest(client, project, current.id);
    if (other === undefined) tell({ text: "No other memory is near to this one. Select those to merge." });
    else setSheet({ kind: "merge", ids: [current.id, other] });
  };
  useScreenKeys(MEMORIES_KEYS, {
    next: () => look(at + 1),
    previous: () => look(at - 1),
    peek: () => search({ peek: current?.id ?? ids[0] }),
    open: () => {
      const memory = current?.id ?? peek;
      if (memory !== undefined)
        void navigate({ to: "/p/$project/memories/$memory", params: { project, memory } });
    },
    cancel: () => {
      if (document.activeElement === field.current) field.current?.blur();
      else if (isPeeking()) search({ peek: undefined });
      else setSelected(new Set());
    },
    filter: () => field.current?.focus(),
    refresh,
    edit: () => {
      if (current === undefined) return;
      if (current.status === "erased") tell({ text: "An erased memory has no text to edit." });
      else setSheet({ kind: "edit", id: current.id });
    },
    disable: () => current !== undefined && act(presenceVerb(current)),
    pin: () => current !== undefined && act(pinVerb(current)),
    quarantine: () => current !== undefined && act(quarantineVerb(current)),
    undo: care.undo,
    select: () => current !== undefined && toggle(current.id),
    "extend-down": () => extend(1),
    "extend-up": () => extend(-1),
    merge: () => void merge().catch((thrown: unknown) => tell({ text: words(thrown), tone: "bad" })),
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
        title="Memories"
        about={data === undefined ? "" : countLabel(rows.length, hasNextPage, q !== "")}
      >
        {fresh > 0 ? (
          <button type="button" className="btn btn-small" onClick={refresh}>
            {fresh} changed <Key name="." />
          </button>
        ) : null}
        {selected.size > 0 ? (
          <>
            <span className="text-sm text-soft">{selected.size} selected</span>
            <button type="button" className="btn btn-small" onClick={() => setSheet({ kind: "selection" })}>
              Change them <Key name="a" />
            </button>
            {selected.size > 1 ? (
              <button
                type="button"
                className="btn btn-small"
                onClick={() => setSheet({ kind: "merge", ids: [...selected] })}
              >
                Merge <Key name="m" />
              </button>
            ) : null}
            <button type="button" className="btn btn-small btn-plain" onClick={() => setSelected(new Set())}>
              Clear
            </button>
          </>
        ) : (
          <>
            {q !== "" && rows.length > 0 ? (
              <button type="button" className="btn btn-small" onClick={() => setSheet({ kind: "matches" })}>
                Change all that match
              </button>
            ) : null}
            <button type="button" className="btn btn-small" onClick={() => setSheet({ kind: "source" })}>
              Everything from one source
            </button>
          </>
        )}
      </PageHead>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
        <Views project={project} q={q} sort={sort} />
        <SortField value={sort} onChange={(to) => search({ sort: to === USUAL_SORT ? undefined : to })} />
        <FilterBar
          value={q}
          onChange={setFilter}
          field={field}
          label="Filter memories"
          offers={MEMORY_OFFERS}
          hint="status:active utility:<0.4 since:7d words  (/)"
        />
        <Chips value={q} onChange={setFilter} read={memoryWords} />
      </div>
      {error !== null ? (
        <Empty title="The memories could not be read">
          <p className="text-fail">{words(error)}</p>
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
            <MemoryPeek project={project} memory={peek} onClose={() => search({ peek: undefined })} />
          )}
        </div>
      ) : q === "" ? (
        <NothingLearned project={project} />
      ) : (
        <NothingMatches q={q} onChange={setFilter} />
      )}
      {editing === undefined ? null : (
        <EditSheet project={project} memory={editing} onClose={() => setSheet(null)} />
      )}
      {sheet?.kind === "merge" ? <MergeSheet project={project} ids={sheet.ids} onClose={closeBulk} /> : null}
      {sheet?.kind === "source" ? <SourceSheet project={project} onClose={closeBulk} /> : null}
      {sheet?.kind === "selection" ? (
        <CareSheet
          project={project}
          title="Change the selection"
          which={{ ids: [...selected] }}
          first="disable"
          onClose={closeBulk}
        >
          <p className="text-soft">
            {selected.size === 1
              ? "The memory that you selected."
              : `The ${selected.size.toLocaleString()} memories that you selected.`}
          </p>
        </CareSheet>
      ) : null}
      {sheet?.kind === "matches" ? (
        <CareSheet
          project={project}
          title="Change all that match"
          which={selectionOf(filter)}
          first="disable"
          onClose={closeBulk}
        >
          <p className="text-soft">
            Every memory that matches <code>{q}</code>, also beyond what is shown.
          </p>
        </CareSheet>
      ) : null}
    </>
  );
}

const momentNow = () => Date.now();

function countLabel(count: number, more: boolean, filtered: boolean): string {
  return `${count.toLocaleString()}${more ? "+" : ""} ${filtered ? "match" : "kept"}`;
}
