// Shown when there are too few reviewed runs: how many are missing, and how to get them.
import { Link } from "@tanstack/react-router";
import { ProgressBar } from "../../parts/ProgressBar";
import { MIN_REVIEWS } from "../../parts/charts/rates";
import { Empty } from "../../shell/Page";

export function TooFewReviews(props: { project: string; reviewed: number; pending: number }) {
  const left = MIN_REVIEWS - props.reviewed;
  return (
    <Empty title={`At least ${MIN_REVIEWS} reviewed runs are needed; there are ${props.reviewed}`}>
      <p>
        Rates of fewer runs are not meaningful: with 10 runs, 7 passes mean anything between 40 and 89 %.{" "}
        {left} more reviewed runs from the last 30 days are needed to show whether the agent improves.
      </p>
      <ProgressBar label="Reviewed runs" value={props.reviewed} of={MIN_REVIEWS} />
      {props.pending > 0 ? (
        <Link
          className="btn btn-primary"
          to="/p/$project/review"
          params={{ project: props.project }}
          search={{}}
        >
          Review {props.pending.toLocaleString()} pending {props.pending === 1 ? "run" : "runs"}
        </Link>
      ) : (
        <p className="text-soft">
          No run is waiting for review. Run your agents, or send the outcome with each run.
        </p>
      )}
    </Empty>
  );
}
