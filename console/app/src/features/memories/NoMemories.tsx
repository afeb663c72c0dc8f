// What stands where the list would: nothing learned yet, or nothing that matches.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queueQuery } from "../../api/queries";
import { Empty } from "../../shell/Page";
import { Chips } from "../traces/FilterBar";
import { memoryWords } from "./filter";

export function NothingLearned(props: { project: string }) {
  const { data: queue } = useQuery(queueQuery(props.project));
  const waiting = queue?.pending ?? 0;
  return (
    <Empty title="Nothing has been learned yet">
      <p>A memory is made of every run that is reviewed. They appear here after the first review.</p>
      <p className="flex gap-2">
        {waiting > 0 ? (
          <Link className="btn btn-primary" to="/p/$project/review" params={{ project: props.project }}>
            Review {waiting.toLocaleString()} waiting {waiting === 1 ? "run" : "runs"}
          </Link>
        ) : (
          <Link className="btn" to="/p/$project/traces" params={{ project: props.project }}>
            No run waits for a review: see how to store one
          </Link>
        )}
      </p>
    </Empty>
  );
}

export function NothingMatches(props: { q: string; onChange: (q: string) => void }) {
  return (
    <Empty title="No memory matches">
      <Chips value={props.q} onChange={props.onChange} read={memoryWords} />
      <p>
        <button type="button" className="btn" onClick={() => props.onChange("")}>
          Clear the filter
        </button>
      </p>
    </Empty>
  );
}
