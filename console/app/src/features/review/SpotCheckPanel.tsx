// Spot check: the user reviews a few runs of a batch before the verdict applies to all of them.
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { errorMessage } from "../../api/errors";
import type { RunFilter } from "../../api/types";
import { traceQuery } from "../../api/queries";
import { RunText } from "../../parts/RunText";
import { t } from "../../texts";
import { randomSample, isPassed, SAMPLE_SIZE, currentRun, type SpotCheck, type Verdict } from "./spot-check";

export type BatchSelection = { trace_ids: string[] } | { filter: RunFilter } | { q: string };

/** The sample. Runs selected by a filter come from the queue. It leases them, and other reviewers do not get them. */
export async function sampleOf(project: string, which: BatchSelection): Promise<string[]> {
  if ("trace_ids" in which) return randomSample(which.trace_ids);
  const next = await body(
    api.POST("/v1/projects/{project_id}/review-queue/next", {
      params: { path: { project_id: project } },
      body: { count: SAMPLE_SIZE, order: "random", renew: true, ...which },
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
  const trace = currentRun(check);
  const texts = t.review.spotCheck;
  if (check.stopped) {
    return (
      <p role="alert" className="rounded bg-warn-tint px-3 py-2">
        {texts.stopped}
      </p>
    );
  }
  if (isPassed(check)) {
    return <p aria-live="polite">{texts.agreed(check.of.length)}</p>;
  }
  return trace === null ? (
    <p role="alert">{texts.notLoaded}</p>
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
        {t.review.spotCheck.title(props.check.agreed + 1, props.check.of.length)}
      </h3>
      {run.data === undefined ? null : (
        <>
          <RunText text={run.data.task} lines={4} words />
          {run.data.final_response === "" ? (
            <p className="text-fail">{t.review.noAnswer}</p>
          ) : (
            <RunText text={run.data.final_response} lines={8} markdown />
          )}
        </>
      )}
      {run.error === null ? null : (
        <p role="alert" className="text-fail">
          {errorMessage(run.error)}
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
            {t.review.spotCheck.answers[mine]}
          </button>
        ))}
      </p>
    </section>
  );
}
