// A few of many runs, one after the other, to be judged by hand before all of them get one verdict.
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { words } from "../../api/failure";
import type { RunFilter } from "../../api/types";
import { traceQuery } from "../../api/queries";
import { RunText } from "../../parts/RunText";
import { drawn, isPassed, LOOKED_AT, lookedAt, type SpotCheck, type Verdict } from "./spot-check";

export type Which = { trace_ids: string[] } | { filter: RunFilter };

/** Which runs are looked at. Those of a filter come from the queue, so that nobody else is given them meanwhile. */
export async function someOf(project: string, which: Which): Promise<string[]> {
  if ("trace_ids" in which) return drawn(which.trace_ids);
  const next = await body(
    api.POST("/v1/projects/{project_id}/review-queue/next", {
      params: { path: { project_id: project } },
      body: { count: LOOKED_AT, order: "random", renew: true, filter: which.filter },
    }),
  );
  return next.items.map((item) => item.trace_id);
}

export function SpotCheckPanel(props: {
  project: string;
  check: SpotCheck;
  onAnswer: (mine: Verdict) => void;
}) {
  const { check } = props;
  const trace = lookedAt(check);
  if (check.stopped) {
    return (
      <p role="alert" className="rounded bg-warn-tint px-3 py-2">
        This one would get the other verdict, so these runs are not alike. Nothing was done: review them one
        by one, or choose fewer.
      </p>
    );
  }
  if (isPassed(check)) {
    return <p aria-live="polite">You looked at {check.of.length} of them and agreed each time.</p>;
  }
  return trace === null ? (
    <p role="alert">None of these runs could be looked at.</p>
  ) : (
    <OneRun key={trace} {...props} trace={trace} />
  );
}

function OneRun(props: {
  project: string;
  check: SpotCheck;
  trace: string;
  onAnswer: (mine: Verdict) => void;
}) {
  const run = useQuery(traceQuery(props.project, props.trace));
  return (
    <section
      aria-labelledby="spot-check"
      className="card flex max-h-[45vh] flex-col gap-2 overflow-y-auto p-3"
    >
      <h3 id="spot-check" className="font-semibold">
        Spot check, {props.check.agreed + 1} of {props.check.of.length}: what would you say of this one?
      </h3>
      {run.data === undefined ? null : (
        <>
          <RunText text={run.data.task} lines={4} words />
          {run.data.final_response === "" ? (
            <p className="text-fail">The run ended without an answer.</p>
          ) : (
            <RunText text={run.data.final_response} lines={8} markdown />
          )}
        </>
      )}
      {run.error === null ? null : (
        <p role="alert" className="text-fail">
          {words(run.error)}
        </p>
      )}
      <p className="flex gap-2">
        {(["pass", "fail"] as const).map((mine) => (
          <button
            key={mine}
            type="button"
            className="btn"
            disabled={run.data === undefined}
            onClick={() => props.onAnswer(mine)}
          >
            {mine === "pass" ? "This one passes" : "This one fails"}
          </button>
        ))}
      </p>
    </section>
  );
}
