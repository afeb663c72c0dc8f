// Tests the judge on a run. Only the token cost is stored.
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { Block, Field, ErrorText } from "./form";

const RUNS = 20;

const newestRunsQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "traces", "newest"],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/traces/rows", {
          params: { path: { project_id: project }, query: { limit: RUNS } },
          signal,
        }),
      ),
  });

export function TestJudge(props: { project: string; hasModel: boolean }) {
  const texts = t.settings.testJudge;
  const runs = useQuery(newestRunsQuery(props.project));
  const [chosen, setChosen] = useState("");
  const [rubric, setRubric] = useState("");
  const trace = chosen === "" ? (runs.data?.[0]?.id ?? "") : chosen;
  const attempt = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/judge/try", {
          params: { path: { project_id: props.project } },
          body: { trace_id: trace, ...(rubric.trim() === "" ? {} : { rubric }) },
        }),
      ),
  });
  const result = attempt.data;
  return (
    <Block title={texts.title} about={texts.about}>
      {props.hasModel ? null : (
        <p>{texts.noModel(<code>--text-provider</code>, <code>--text-model</code>)}</p>
      )}
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          attempt.mutate();
        }}
      >
        <Field label={texts.run} hint={runs.data?.length === 0 ? texts.noRuns : texts.runHint}>
          {(names) => (
            <select
              {...names}
              className="field"
              value={trace}
              onChange={(event) => setChosen(event.target.value)}
            >
              {runs.data?.map((run) => (
                <option key={run.id} value={run.id}>
                  {shown(run.task)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={texts.criteria} hint={texts.criteriaHint}>
          {(names) => (
            <textarea
              {...names}
              rows={2}
              className="field"
              value={rubric}
              onChange={(event) => setRubric(event.target.value)}
            />
          )}
        </Field>
        <p>
          <button
            type="submit"
            className="btn"
            disabled={!props.hasModel || attempt.isPending || trace === ""}
          >
            {texts.submit}
          </button>
        </p>
      </form>
      <div role="status" className="flex flex-col gap-1">
        {result === undefined ? null : (
          <>
            <p>
              {texts.result(
                result.verdict,
                result.confidence ?? null,
                shown(result.model),
                result.input_tokens + result.output_tokens,
              )}
            </p>
            {result.feedback_text == null ? null : <RunText text={result.feedback_text} words lines={12} />}
          </>
        )}
      </div>
      <ErrorText error={runs.error ?? attempt.error} />
    </Block>
  );
}
