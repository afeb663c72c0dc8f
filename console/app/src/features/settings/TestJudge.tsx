// Tests the judge on a run. Only the token cost is stored.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { percent } from "../../parts/time";
import { Block, Field, ErrorText } from "./form";

export function TestJudge(props: { project: string; hasModel: boolean }) {
  const [trace, setTrace] = useState("");
  const [rubric, setRubric] = useState("");
  const attempt = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/judge/try", {
          params: { path: { project_id: props.project } },
          body: { trace_id: trace.trim(), ...(rubric.trim() === "" ? {} : { rubric }) },
        }),
      ),
  });
  const result = attempt.data;
  return (
    <Block title="Test it" about="Sends one run to the model. It creates no review and changes nothing.">
      {props.hasModel ? null : (
        <p>
          No model is configured on this server, so the judge cannot be tested. The operator sets one with{" "}
          <code>--text-provider</code> and <code>--text-model</code>.
        </p>
      )}
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          attempt.mutate();
        }}
      >
        <Field label="Run" hint="The id of a stored run, shown on its page.">
          {(names) => (
            <input
              {...names}
              className="field font-mono text-xs"
              required
              value={trace}
              onChange={(event) => setTrace(event.target.value)}
            />
          )}
        </Field>
        <Field label="Another rubric" hint="Empty: the stored one.">
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
            disabled={!props.hasModel || attempt.isPending || trace.trim() === ""}
          >
            Run the judge
          </button>
        </p>
      </form>
      <div role="status" className="flex flex-col gap-1">
        {result === undefined ? null : (
          <>
            <p>
              <strong>{result.verdict}</strong>
              {result.confidence == null ? "" : `, confidence ${percent(result.confidence)}`} ·{" "}
              {shown(result.model)} · {(result.input_tokens + result.output_tokens).toLocaleString()} tokens
            </p>
            {result.feedback_text == null ? null : <RunText text={result.feedback_text} words lines={12} />}
          </>
        )}
      </div>
      <ErrorText error={attempt.error} />
    </Block>
  );
}
