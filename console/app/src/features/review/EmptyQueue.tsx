// Empty states of the queue: no pending runs, or no match for the filter.
import { Link } from "@tanstack/react-router";
import type { ReviewQueue } from "../../api/types";
import { Empty } from "../../shell/Page";

export function EmptyQueue(props: {
  project: string;
  queue: ReviewQueue | undefined;
  filtered: boolean;
  onClear: () => void;
  small?: boolean;
}) {
  const { queue } = props;
  const others = [
    queue === undefined || queue.leased === 0 ? null : `${queue.leased} leased by other reviewers`,
    queue === undefined || queue.deferred === 0 ? null : `${queue.deferred} deferred`,
  ].filter((part) => part !== null);
  const content = (
    <>
      {props.filtered ? (
        <button type="button" className="btn" onClick={props.onClear}>
          Clear the filter
        </button>
      ) : (
        <p className="text-soft">
          {queue === undefined ? "" : `${queue.reviewed_today.toLocaleString()} reviewed today. `}
          {others.length === 0 ? "" : `Not available now: ${others.join(", ")}. `}
          New runs appear here automatically.
        </p>
      )}
      <Link
        className="link"
        to="/p/$project/traces"
        params={{ project: props.project }}
        search={{ q: "status:reviewed" }}
      >
        Show reviewed runs
      </Link>
    </>
  );
  const title = props.filtered ? "No pending run matches this filter" : "No runs are pending";
  if (props.small === true) {
    return (
      <div className="mb-3 flex flex-col gap-2 border-b border-line pb-3">
        <h2 className="text-base text-ink">{title}</h2>
        {content}
      </div>
    );
  }
  return <Empty title={title}>{content}</Empty>;
}
