// The review page: one run, one verdict, then the next run, which is already loaded.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { errorMessage } from "../../api/errors";
import { queueQuery } from "../../api/queries";
import { waitingRuns } from "../../api/reviews";
import { Key } from "../../keys/Key";
import { useKeyOf, useScreenKeys } from "../../keys/KeyProvider";
import type { QueueOrder } from "../../api/types";
import type { View } from "../trace/view";
import { preload } from "../../shell/preload";
import { Empty, PageHead } from "../../shell/Page";
import type { ReplayHandle } from "../trace/Replay";
import { current, openTraces } from "./session";
import { Digest } from "./Digest";
import { reviewKeys } from "./keys";
import { EmptyQueue } from "./EmptyQueue";
import { Progress } from "./Progress";
import { QueueControls } from "./QueueControls";
import { QueueList } from "./QueueList";
import { RecentVerdicts } from "./RecentVerdicts";
import { sessionStoreOf, useReviewView } from "./session-store";
import { useLeases, useOutboxResults, useShownSince } from "./session-hooks";
import { useReviewActions } from "./useReviewActions";
import { VerdictPanel } from "./VerdictPanel";
import { Scroll } from "../../parts/Scroll";
import { t } from "../../texts";

// Loaded after the first run is shown, before they are needed.
const [Replay, fetchReplay] = preload(async () => (await import("../trace/Replay")).Replay);
const [BulkSheet, fetchBulk] = preload(async () => (await import("./BulkSheet")).BulkSheet);

const ROUTE = "/p/$project/review";

export function ReviewPage() {
  const { project } = useParams({ from: ROUTE });
  const { order = "informative", q = "" } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const store = sessionStoreOf(project);
  const { session, loaded, problem } = useReviewView(store);
  const { data: queue } = useQuery(queueQuery(project));
  const item = current(session);
  const trace = item?.trace.trace_id ?? null;

  useEffect(() => {
    store.setQuery({ order, q });
    store.fill();
  }, [store, order, q]);
  useLeases(store);
  useOutboxResults(store);
  const shownSince = useShownSince(trace);
  // Runs may have become available since the queue was empty: deferrals that ended, new runs.
  const pending = queue?.pending ?? 0;
  useEffect(() => {
    if (pending > 0 && openTraces(store.session).length === 0) store.change({ kind: "refilled" });
  }, [pending, store]);
  // Fewer leases than open runs in this session: some runs were reviewed elsewhere.
  const leased = queue?.leased;
  useEffect(() => {
    if (leased !== undefined && leased < openTraces(store.session).length) void store.renew();
  }, [leased, store]);

  useEffect(() => {
    fetchReplay();
    fetchBulk();
  }, []);

  const [step, setStep] = useState(1);
  const [whole, setWhole] = useState<View | null>(null);
  const [finding, setFinding] = useState(false);
  const [bulk, setBulk] = useState(false);
  /** Whether the queue is open on a narrow screen. */
  const [queueOpen, setQueueOpen] = useState(false);
  const [seen, setSeen] = useState(trace);
  if (seen !== trace) {
    // Reset the view for another run.
    setSeen(trace);
    setStep(1);
    setWhole(null);
  }
  const field = useRef<HTMLTextAreaElement>(null);
  const replay = useRef<ReplayHandle>(null);
  const actions = useReviewActions({
    store,
    session,
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
  });
  const cancel = () => (queueOpen ? setQueueOpen(false) : actions.cancel());
  useScreenKeys(reviewKeys(), { ...actions, cancel }, shownSince);
  const search = (next: { order?: QueueOrder; q?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  const available = openTraces(session).length + session.remaining;
  const waiting = queue === undefined ? { count: available, more: false } : waitingRuns(queue);
  const empty = {
    project,
    queue,
    skipped: store.skippedCount,
    filtered: q !== "",
    onClear: () => search({ q: undefined }),
  };

  return (
    <>
      <PageHead
        title={t.review.title}
        about={
          <Progress decided={session.decided} waiting={waiting} matching={q === "" ? null : available} />
        }
      >
        <QueueControls
          q={q}
          order={order}
          onSearch={search}
          hasList={item !== undefined}
          open={queueOpen}
          onToggle={() => setQueueOpen(!queueOpen)}
        />
      </PageHead>
      {item === undefined ? (
        <NoRun loaded={loaded} problem={problem} onRetry={() => store.fill()} empty={empty} />
      ) : (
        <div className="relative flex min-h-0 flex-1 max-md:flex-col">
          <QueueList
            items={session.items}
            at={session.at}
            remaining={session.remaining}
            open={queueOpen}
            onGo={(to) => {
              store.change({ kind: "jumped", trace: to });
              setQueueOpen(false);
            }}
          />
          <div className="flex min-h-0 min-w-0 flex-1 flex-col">
            {whole === null ? (
              <Scroll label={t.review.run} className="min-h-0 flex-1 overflow-y-auto">
                <Digest project={project} trace={item.trace} step={step} onStep={setStep} />
              </Scroll>
            ) : (
              <>
                <BackToSummary onBack={() => setWhole(null)} />
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
              </>
            )}
          </div>
          <aside
            aria-label={t.review.yourVerdict}
            data-verdict-bar=""
            className="w-72 shrink-0 overflow-y-auto border-s border-line p-3 max-lg:w-64 max-md:max-h-[60dvh] max-md:w-full max-md:border-s-0 max-md:border-t max-md:bg-raised max-md:p-2"
          >
            {loaded && openTraces(session).length === 0 ? <EmptyQueue {...empty} small /> : null}
            <VerdictPanel
              key={item.trace.trace_id}
              project={project}
              item={item}
              mode={session.mode}
              draft={session.drafts[item.trace.trace_id] ?? ""}
              field={field}
              onWrite={(text) => store.change({ kind: "typed", text })}
            />
            <RecentVerdicts project={project} verdicts={session.undoable} />
          </aside>
        </div>
      )}
      {bulk ? (
        <BulkSheet
          project={project}
          which={q === "" ? { filter: {} } : { q }}
          about={q}
          onClose={(done) => {
            setBulk(false);
            // The bulk review may include runs of this session.
            if (done) void store.renew();
          }}
        />
      ) : null}
    </>
  );
}

function BackToSummary(props: { onBack: () => void }) {
  return (
    <p className="px-3 pt-1.5">
      <button type="button" className="btn btn-plain btn-small" onClick={props.onBack}>
        {t.review.backToSummary} <Key name={useKeyOf("open")} />
      </button>
    </p>
  );
}

/** The session has no run: loading failed, or the queue is empty. */
function NoRun(props: {
  loaded: boolean;
  problem: Error | null;
  onRetry: () => void;
  empty: Parameters<typeof EmptyQueue>[0];
}) {
  const { problem } = props;
  if (problem === null) return props.loaded ? <EmptyQueue {...props.empty} /> : null;
  return (
    <Empty title={t.review.loadFailed}>
      <p className="text-fail">{errorMessage(problem)}</p>
      <button type="button" className="btn" onClick={props.onRetry}>
        {t.review.tryAgain}
      </button>
    </Empty>
  );
}
