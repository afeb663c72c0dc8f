// One run, one verdict, the next run already there.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { words } from "../../api/failure";
import { queueQuery } from "../../api/queries";
import { useScreenKeys } from "../../keys/KeyProvider";
import type { Order, View } from "../../router";
import { ahead } from "../../shell/ahead";
import { Empty, PageHead } from "../../shell/Page";
import type { ReplayHandle } from "../trace/Replay";
import { QUEUE_OFFERS, runFilterOf } from "../traces/filter";
import { FilterBar } from "../traces/FilterBar";
import { current, open } from "./desk";
import { Digest } from "./Digest";
import { REVIEW_KEYS } from "./keys";
import { NothingWaiting } from "./NothingWaiting";
import { Progress } from "./Progress";
import { QueueList } from "./QueueList";
import { deskOf, type DeskStore, useDesk } from "./store";
import { useLeases, useOutboxNews, useShownSince } from "./upkeep";
import { useReviewActions } from "./useReviewActions";
import { VerdictPanel } from "./VerdictPanel";
import { Scroll } from "../../parts/Scroll";

// Fetched behind the first run, long before anybody asks for them.
const [Replay, fetchReplay] = ahead(async () => (await import("../trace/Replay")).Replay);
const [BulkSheet, fetchBulk] = ahead(async () => (await import("./BulkSheet")).BulkSheet);

const ROUTE = "/p/$project/review";
const ORDERS: readonly [Order, string][] = [
  ["informative", "most informative"],
  ["newest", "newest"],
  ["oldest", "oldest"],
  ["errors", "errors first"],
  ["random", "by lot"],
];

export function ReviewPage() {
  const { project } = useParams({ from: ROUTE });
  const { order = "informative", q = "" } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const store = deskOf(project);
  const desk = useDesk(store);
  const { data: queue } = useQuery(queueQuery(project));
  const { filter, unused } = useMemo(() => runFilterOf(q), [q]);
  const item = current(desk);
  const trace = item?.trace.trace_id ?? null;

  useEffect(() => {
    store.wish({ order, filter });
    store.fill();
  }, [store, order, filter]);
  useLeases(store);
  useOutboxNews(store);
  const shownSince = useShownSince(trace);
  // What became available since the desk ran dry: deferrals that ended, runs that arrived.
  const pending = queue?.pending ?? 0;
  useEffect(() => {
    if (pending > 0 && open(store.desk).length === 0) store.change({ kind: "refilled" });
  }, [pending, store]);
  // Fewer leases than runs on this desk: some got their review elsewhere.
  const leased = queue?.leased;
  useEffect(() => {
    if (leased !== undefined && leased < open(store.desk).length) void store.renew();
  }, [leased, store]);

  useEffect(() => {
    fetchReplay();
    fetchBulk();
  }, []);

  const [step, setStep] = useState(1);
  const [whole, setWhole] = useState<View | null>(null);
  const [finding, setFinding] = useState(false);
  const [bulk, setBulk] = useState(false);
  const [seen, setSeen] = useState(trace);
  if (seen !== trace) {
    // Another run starts at its beginning, and closed.
    setSeen(trace);
    setStep(1);
    setWhole(null);
  }
  const field = useRef<HTMLTextAreaElement>(null);
  const find = useRef<HTMLInputElement>(null);
  const replay = useRef<ReplayHandle>(null);
  useScreenKeys(
    REVIEW_KEYS,
    useReviewActions({
      store,
      desk,
      step,
      setStep,
      whole,
      setWhole: (view: View | null, toFind = false) => {
        setWhole(view);
        setFinding(toFind);
      },
      field,
      replay,
      shownSince,
      openBulk: () => setBulk(true),
    }),
    shownSince,
  );
  const search = (next: { order?: Order; q?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  const empty = { project, queue, filtered: q !== "", onClear: () => search({ q: undefined }) };

  return (
    <>
      <PageHead
        title="Review"
        about={
          <Progress
            decided={desk.decided}
            left={open(desk).length + desk.remaining}
            seconds={store.secondsEach}
          />
        }
      >
        <FilterBar
          value={q}
          field={find}
          label="Filter the queue"
          offers={QUEUE_OFFERS}
          hint="model:gpt-5* signal:tool_error words"
          onChange={(text) => search({ q: text === "" ? undefined : text })}
        />
        <label className="flex items-center gap-1 whitespace-nowrap text-sm text-soft">
          Order
          <select
            className="field w-auto"
            value={order}
            onChange={(event) => search({ order: event.target.value as Order })}
          >
            {ORDERS.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </PageHead>
      {unused.length > 0 ? (
        <p className="border-b border-line px-4 py-1 text-sm text-fail">
          The queue cannot be asked for {unused.join(", ")}.
        </p>
      ) : null}
      {item === undefined ? (
        <NoRun store={store} empty={empty} />
      ) : (
        <div className="flex min-h-0 flex-1">
          <QueueList
            items={desk.items}
            at={desk.at}
            onGo={(to) => store.change({ kind: "went", trace: to })}
          />
          <div className="flex min-h-0 min-w-0 flex-1 flex-col">
            {whole === null ? (
              <Scroll label="Run" className="min-h-0 flex-1 overflow-y-auto">
                <Digest trace={item.trace} step={step} onStep={setStep} />
              </Scroll>
            ) : (
              <Replay
                key={item.trace.trace_id}
                project={project}
                trace={item.trace.trace_id}
                view={whole}
                onView={setWhole}
                at={step - 1}
                onMove={(to) => setStep((now) => to(now - 1) + 1)}
                handle={replay}
                find={finding}
              />
            )}
          </div>
          <aside aria-label="Your verdict" className="w-72 shrink-0 overflow-y-auto border-s border-line p-3">
            {store.looked && open(desk).length === 0 ? <NothingWaiting {...empty} small /> : null}
            <VerdictPanel
              key={item.trace.trace_id}
              project={project}
              item={item}
              mode={desk.mode}
              draft={desk.drafts[item.trace.trace_id] ?? ""}
              field={field}
              onWrite={(text) => store.change({ kind: "wrote", text })}
            />
          </aside>
        </div>
      )}
      {bulk ? (
        <BulkSheet
          project={project}
          which={{ filter }}
          about={q}
          onClose={(done) => {
            setBulk(false);
            // It may have reviewed what lies here.
            if (done) void store.renew();
          }}
        />
      ) : null}
    </>
  );
}

/** Nothing lies on the desk: because it could not be filled, or because there is nothing. */
function NoRun(props: { store: DeskStore; empty: Parameters<typeof NothingWaiting>[0] }) {
  const { problem, looked } = props.store;
  if (problem === null) return looked ? <NothingWaiting {...props.empty} /> : null;
  return (
    <Empty title="The queue could not be read">
      <p className="text-fail">{words(problem)}</p>
      <button type="button" className="btn" onClick={() => props.store.fill()}>
        Try again
      </button>
    </Empty>
  );
}
