// A run preview beside the list.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorMessage } from "../../api/errors";
import { traceQuery } from "../../api/queries";
import { Key } from "../../keys/Key";
import { Outcome } from "../../parts/Outcome";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { Scroll } from "../../parts/Scroll";

export function TracePreview(props: { project: string; trace: string; onClose: () => void }) {
  const { data: trace, error } = useQuery(traceQuery(props.project, props.trace));
  return (
    <aside aria-label="Preview" className="flex w-[26rem] shrink-0 flex-col border-s border-line bg-raised">
      <header className="flex h-10 items-center gap-2 border-b border-line px-3">
        <Link
          className="btn btn-small"
          to="/p/$project/traces/$trace"
          params={{ project: props.project, trace: props.trace }}
        >
          Open <Key name="o" />
        </Link>
        <span className="text-xs text-soft">
          <Key name="j" /> <Key name="k" /> move
        </span>
        <button type="button" className="btn btn-plain btn-small ms-auto" onClick={props.onClose}>
          Close <Key name="Escape" />
        </button>
      </header>
      <Scroll className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3" label="Run">
        {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
        {trace === undefined ? null : (
          <>
            <section>
              <h2>Task</h2>
              <RunText text={trace.task} lines={10} words />
            </section>
            <section>
              <h2>Final response</h2>
              {trace.final_response === "" ? (
                <p className="text-soft">The run ended without an answer.</p>
              ) : (
                <RunText text={trace.final_response} lines={20} markdown />
              )}
            </section>
            <section className="flex flex-wrap items-center gap-2 text-sm text-soft">
              <Outcome result={trace.review?.result} />
              <Time at={trace.created_at} />
              {trace.model == null ? null : <span>{shown(trace.model)}</span>}
              <span>{trace.linked_memory_ids.length} memories used</span>
            </section>
            {trace.review?.feedback_text ? (
              <section>
                <h2>Feedback</h2>
                <RunText text={trace.review.feedback_text} lines={8} words />
              </section>
            ) : null}
          </>
        )}
      </Scroll>
    </aside>
  );
}
