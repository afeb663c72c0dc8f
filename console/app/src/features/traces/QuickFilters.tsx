// The most useful filters as buttons beside the filter text, with the number of runs where it is known.
import { useQuery } from "@tanstack/react-query";
import { overviewQuery, queueQuery } from "../../api/queries";
import { waitingRuns } from "../../api/reviews";
import type { Overview, ReviewQueue } from "../../api/types";
import { CommonFilters } from "../../parts/FilterChips";
import { t, type Texts } from "../../texts";

type Name = keyof Texts["traces"]["quickFilters"]["names"];
type QuickFilter = {
  name: Name;
  term: string;
  /** Terms that no run matches together with this one. */
  excludes: readonly string[];
};
type Count = { count: number; more: boolean };

const FILTERS: readonly QuickFilter[] = [
  {
    name: "notReviewed",
    term: "status:pending",
    excludes: ["result:pass", "result:fail", "learning:failed"],
  },
  { name: "passed", term: "result:pass", excludes: ["status:pending"] },
  { name: "failed", term: "result:fail", excludes: ["status:pending"] },
  { name: "withErrors", term: "error:true", excludes: [] },
  { name: "learningFailed", term: "learning:failed", excludes: ["status:pending"] },
];
/** The overview names at most this many runs whose learning failed. */
const MAX_FAILURES = 5;

export function QuickFilters(props: { project: string; value: string; onChange: (value: string) => void }) {
  const { data: queue } = useQuery(queueQuery(props.project));
  const { data: overview } = useQuery(overviewQuery(props.project));
  const counts = countsOf(queue, overview);
  const texts = t.traces.quickFilters;
  const filters = FILTERS.map(({ name, ...filter }) => ({
    ...filter,
    label: texts.names[name],
    count: counts[name],
  }));
  return (
    <CommonFilters label={texts.label} filters={filters} value={props.value} onChange={props.onChange} />
  );
}

/** How many runs match each filter alone, as far as loaded data says it. */
export function countsOf(
  queue: ReviewQueue | undefined,
  overview: Overview | undefined,
): Partial<Record<Name, Count>> {
  return {
    ...(queue === undefined ? {} : { notReviewed: notReviewed(queue) }),
    ...(overview === undefined ? {} : { learningFailed: learningFailed(overview) }),
  };
}

/** Deferred runs do not wait for a reviewer now, but they have no review. */
function notReviewed(queue: ReviewQueue): Count {
  const { count, more } = waitingRuns(queue);
  return { count: count + queue.deferred, more };
}

/** `reflections.failed` is of the last seven days only. */
function learningFailed({ failures, reflections }: Overview): Count {
  const count = Math.max(failures.length, reflections.failed);
  return { count, more: failures.length >= MAX_FAILURES };
}
