// Too little is known to show anything: how much is missing, and how to get it.
import { Link } from "@tanstack/react-router";
import { Bar } from "../../parts/Bar";
import { LEAST } from "../../parts/charts/rates";
import { Empty } from "../../shell/Page";

export function TooFew(props: { project: string; reviewed: number; pending: number }) {
  const left = LEAST - props.reviewed;
  return (
    <Empty title={`${LEAST} reviewed runs are needed; there are ${props.reviewed}`}>
      <p>
        Rates of fewer runs say nothing: with 10 of them, 7 passes mean anything between 40 and 89 %. {left}{" "}
        more of the last 30 days and this page shows whether it gets better.
      </p>
      <Bar label="Reviewed runs" value={props.reviewed} of={LEAST} />
      {props.pending > 0 ? (
        <Link
          className="btn btn-primary"
          to="/p/$project/review"
          params={{ project: props.project }}
          search={{}}
        >
          Review {props.pending.toLocaleString()} waiting {props.pending === 1 ? "run" : "runs"}
        </Link>
      ) : (
        <p className="text-soft">
          No run waits for a review. Let your agents run, or send the outcome along with each run.
        </p>
      )}
    </Empty>
  );
}
