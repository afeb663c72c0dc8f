// Empty states of the list: no memories yet, or no match.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queueQuery } from "../../api/queries";
import { Empty } from "../../shell/Page";
import { FilterChips } from "../../parts/FilterBar";

export function NoMemoriesYet(props: { project: string }) {
  const { data: queue } = useQuery(queueQuery(props.project));
  const pending = queue?.pending ?? 0;
  return (
    <Empty title="No memories yet">
      <p>Reflect learns a lesson from reviewed runs. Lessons appear here after the first review.</p>
      <p className="flex gap-2">
        {pending > 0 ? (
          <Link className="btn btn-primary" to="/p/$project/review" params={{ project: props.project }}>
            Review {pending.toLocaleString()} pending {pending === 1 ? "run" : "runs"}
          </Link>
        ) : (
          <Link className="btn" to="/p/$project/traces" params={{ project: props.project }}>
            No run is waiting for review: see how to send one
          </Link>
        )}
      </p>
    </Empty>
  );
}

export function NoMatches(props: { what: "lesson" | "memory"; q: string; onChange: (q: string) => void }) {
  return (
    <Empty title={`No ${props.what} matches`}>
      <FilterChips value={props.q} onChange={props.onChange} error={null} />
      <p>
        <button type="button" className="btn" onClick={() => props.onChange("")}>
          Clear the filter
        </button>
      </p>
    </Empty>
  );
}
