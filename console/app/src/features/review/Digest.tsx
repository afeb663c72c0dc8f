// A run as the reviewer sees it: the task, what the agent did, its answer, and the memories that the verdict changes.
import { memo, type ReactNode } from "react";
import type { QueuedTrace } from "../../api/types";
import { Key } from "../../keys/Key";
import { useKeyOf, useKeys } from "../../keys/KeyProvider";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { StepRows } from "./StepRows";
import { UsedMemories } from "./UsedMemories";

/** Age contributes a little to every run. A smaller weight is not shown as a reason. */
const MIN_WEIGHT = 0.05;

export const Digest = memo(function Digest(props: {
  project: string;
  trace: QueuedTrace;
  step: number;
  onStep: (step: number) => void;
}) {
  const { digest } = props.trace;
  const texts = t.review.digest;
  return (
    <div className="flex flex-col gap-4 p-4 max-md:px-3">
      <section aria-labelledby="digest-task">
        <h2 id="digest-task">{texts.task}</h2>
        <RunText text={digest.task} lines={6} words />
        {digest.task_is_cut ? <WholeRun>{texts.wholeTask}</WholeRun> : null}
      </section>
      <section aria-labelledby="digest-steps" className="flex flex-col gap-1">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 id="digest-steps">{stepsTitle(digest)}</h2>
          <Signals signals={digest.signals} />
          <span className="ms-auto">
            <WholeRun>{texts.wholeRun}</WholeRun>
          </span>
        </div>
        {digest.steps == null ? (
          <p className="text-soft">{texts.tooLong}</p>
        ) : (
          <StepRows key={props.trace.trace_id} {...props} />
        )}
      </section>
      <section aria-labelledby="digest-answer">
        <h2 id="digest-answer">{texts.answer}</h2>
        {digest.answer === "" ? (
          <p className="text-fail">{t.review.noAnswer}</p>
        ) : (
          <RunText text={digest.answer} lines={20} markdown />
        )}
        {digest.answer_is_cut ? <WholeRun>{texts.wholeAnswer}</WholeRun> : null}
      </section>
      <section aria-labelledby="digest-memories">
        <h2 id="digest-memories">{texts.memories(digest.memories.length)}</h2>
        {digest.memories.length === 0 ? (
          <p className="text-soft">{texts.noMemories}</p>
        ) : (
          <UsedMemories project={props.project} memories={digest.memories} />
        )}
      </section>
      <Origin trace={props.trace} />
    </div>
  );
});

function stepsTitle({ steps }: QueuedTrace["digest"]): string {
  const failed = steps?.listed.filter((step) => step.failed).length ?? 0;
  return t.review.digest.steps(steps?.total ?? null, failed);
}

function Signals(props: { signals: QueuedTrace["digest"]["signals"] }) {
  if (props.signals.length === 0) return null;
  const texts = t.review.digest;
  const names: Readonly<Record<string, string>> = texts.signalNames;
  return (
    <ul aria-label={texts.signals} className="flex flex-wrap gap-1.5">
      {props.signals.map((signal) => (
        <li key={signal.signal} className="chip bg-warn-tint text-warn">
          {texts.signal(names[signal.signal] ?? shown(signal.signal), signal.count, signal.step ?? null)}
        </li>
      ))}
    </ul>
  );
}

/** Opens the whole run, like its key. */
function WholeRun(props: { children: ReactNode }) {
  const { run } = useKeys();
  return (
    <button type="button" className="btn btn-plain btn-small" onClick={() => run("open")}>
      {props.children} <Key name={useKeyOf("open")} />
    </button>
  );
}

/** Where the run comes from, and why it is shown now. */
function Origin({ trace }: { trace: QueuedTrace }) {
  const texts = t.review.digest;
  const names: Readonly<Record<string, string>> = texts.reasons;
  const reasons = trace.reasons
    .filter((one) => one.weight >= MIN_WEIGHT)
    .map((one) => names[one.reason] ?? one.reason);
  return (
    <footer className="flex flex-wrap gap-x-3 text-xs text-soft">
      <span>{texts.stored(<Time at={trace.created_at} />)}</span>
      {trace.model == null ? null : <span>{shown(trace.model)}</span>}
      {reasons.length === 0 ? null : <span>{texts.shownEarly(reasons)}</span>}
      {trace.deferred_by == null ? null : (
        <span className="text-warn">
          {texts.deferredBefore(
            shown(trace.deferred_by),
            trace.deferred_note == null ? null : shown(trace.deferred_note),
          )}
        </span>
      )}
    </footer>
  );
}
