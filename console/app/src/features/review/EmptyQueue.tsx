// Empty states of the queue: no pending runs, or no match for the filter.
import { Link } from "@tanstack/react-router";
import type { ReviewQueue } from "../../api/types";
import { Empty } from "../../shell/Page";
import { t } from "../../texts";

export function EmptyQueue(props: {
  project: string;
  queue: ReviewQueue | undefined;
  /** The number of runs that this reviewer skipped. */
  skipped: number;
  filtered: boolean;
  onClear: () => void;
  small?: boolean;
}) {
  const { queue } = props;
  // Another reviewer may have decided a skipped run since.
  const skipped = Math.min(props.skipped, queue?.pending ?? 0);
  const texts = t.review.empty;
  const content = (
    <>
      {props.filtered ? (
        <button type="button" className="btn" onClick={props.onClear}>
          {texts.clear}
        </button>
      ) : (
        <p className="text-soft">
          {texts.about({
            reviewedToday: queue?.reviewed_today ?? null,
            leased: queue?.leased ?? 0,
            deferred: queue?.deferred ?? 0,
            skipped,
          })}
        </p>
      )}
      <Link
        className="link"
        to="/p/$project/traces"
        params={{ project: props.project }}
        search={{ q: "status:reviewed" }}
      >
        {texts.showReviewed}
      </Link>
    </>
  );
  const title = props.filtered ? texts.titleFiltered : texts.title;
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
