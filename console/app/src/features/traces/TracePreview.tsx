// A run preview beside the list.
import { useQuery } from "@tanstack/react-query";
import { errorMessage } from "../../api/errors";
import { traceQuery } from "../../api/queries";
import { Outcome } from "../../parts/Outcome";
import { PreviewPanel } from "../../parts/PreviewPanel";
import { pathOf } from "../../parts/RowLink";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";

export function TracePreview(props: { project: string; trace: string; onClose: () => void }) {
  const { data: trace, error } = useQuery(traceQuery(props.project, props.trace));
  const texts = t.traces.preview;
  return (
    <PreviewPanel
      path={pathOf(props.project, "traces", props.trace)}
      label={texts.label}
      onClose={props.onClose}
    >
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {trace === undefined ? null : (
        <>
          <section>
            <h2>{texts.task}</h2>
            <RunText text={trace.task} lines={10} words />
          </section>
          <section>
            <h2>{texts.answer}</h2>
            {trace.final_response === "" ? (
              <p className="text-soft">{texts.noAnswer}</p>
            ) : (
              <RunText text={trace.final_response} lines={20} markdown />
            )}
          </section>
          <section className="flex flex-wrap items-center gap-2 text-sm text-soft">
            <Outcome result={trace.review?.result} />
            <Time at={trace.created_at} />
            {trace.model == null ? null : <span>{shown(trace.model)}</span>}
            <span>{texts.memories(trace.linked_memory_ids.length)}</span>
          </section>
          {trace.review?.feedback_text ? (
            <section>
              <h2>{texts.feedback}</h2>
              <RunText text={trace.review.feedback_text} lines={8} words />
            </section>
          ) : null}
        </>
      )}
    </PreviewPanel>
  );
}
