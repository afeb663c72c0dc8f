// What the judge would say of a run. Nothing of it is stored but what it cost.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { percent } from "../../parts/time";
import { Block, Field, Problem } from "./parts";

export function TryJudge(props: { project: string; hasModel: boolean }) {
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
  const said = attempt.data;
  return (
    <Block title="Try it" about="Asks the model about one run. It becomes no review and moves nothing.">
      {props.hasModel ? null : (
        <p>
          No model is configured on this server, so there is nobody to ask. The operator sets one with{" "}
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
        <Field label="Run" hint="The id of a stored run, from its page.">
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
            Ask the judge
          </button>
        </p>
      </form>
      <div role="status" className="flex flex-col gap-1">
        {said === undefined ? null : (
          <>
            <p>
              <strong>{said.verdict}</strong>
              {said.confidence == null ? "" : `, confidence ${percent(said.confidence)}`} ·{" "}
              {shown(said.model)} · {(said.input_tokens + said.output_tokens).toLocaleString()} tokens
            </p>
            {said.feedback_text == null ? null : <RunText text={said.feedback_text} words lines={12} />}
          </>
        )}
      </div>
      <Problem error={attempt.error} />
    </Block>
  );
}
