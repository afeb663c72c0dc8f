// A summary of a run: task, answer, steps, signals, and the memories that the verdict will change.
import { memo } from "react";
import type { DigestMemory, DigestStep, QueuedTrace } from "../../api/types";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";

const SIGNALS: Record<string, string> = {
  tool_error: "tool error",
  exception: "exception",
  repeated_call: "same call repeated",
  empty_answer: "empty answer",
  interrupted: "interrupted",
  short_answer: "answer shorter than usual",
  long_answer: "answer longer than usual",
  many_messages: "more messages than usual",
  slow: "slower than usual",
  costly: "more tokens than usual",
  degraded_retrieval: "memories found by keyword search only",
};
const REASONS: Record<string, string> = {
  thin_evidence: "its memories have few reviews",
  conflicting_outcomes: "its memories had mixed results",
  judge_disagrees: "the judge and the signals disagree",
  no_near_memory: "no memory is similar to this task",
  age: "it has been pending for a long time",
};

/** Age contributes a little to every run. A smaller weight is not shown as a reason. */
const MIN_WEIGHT = 0.05;

export const Digest = memo(function Digest(props: {
  trace: QueuedTrace;
  step: number;
  onStep: (step: number) => void;
}) {
  const { digest } = props.trace;
  const reasons = props.trace.reasons
    .filter((one) => one.weight >= MIN_WEIGHT)
    .map((one) => REASONS[one.reason] ?? one.reason);
  return (
    <div className="flex flex-col gap-4 p-4">
      <section aria-labelledby="digest-task">
        <h2 id="digest-task">Task</h2>
        <RunText text={digest.task} lines={6} words />
        {digest.task_is_cut ? <More what="task" /> : null}
      </section>
      <section aria-labelledby="digest-answer">
        <h2 id="digest-answer">Final answer</h2>
        {digest.answer === "" ? (
          <p className="text-fail">The run ended without an answer.</p>
        ) : (
          <RunText text={digest.answer} lines={20} markdown />
        )}
        {digest.answer_is_cut ? <More what="answer" /> : null}
      </section>
      <Steps trace={props.trace} step={props.step} onStep={props.onStep} />
      {digest.signals.length > 0 ? (
        <section aria-labelledby="digest-signals">
          <h2 id="digest-signals">Signals</h2>
          <ul className="flex flex-wrap gap-1.5 pt-1">
            {digest.signals.map((signal) => (
              <li key={signal.signal} className="chip bg-warn-tint text-warn">
                {SIGNALS[signal.signal] ?? signal.signal}
                {signal.count > 1 ? ` × ${signal.count}` : ""}
                {signal.step == null ? "" : `, step ${signal.step}`}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <section aria-labelledby="digest-memories">
        <h2 id="digest-memories">Memories used ({digest.memories.length})</h2>
        {digest.memories.length === 0 ? (
          <p className="text-soft">None. Your verdict still creates a new one.</p>
        ) : (
          <Memories memories={digest.memories} />
        )}
      </section>
      <footer className="flex flex-wrap gap-x-3 text-xs text-soft">
        <span>
          stored <Time at={props.trace.created_at} />
        </span>
        {props.trace.model == null ? null : <span>{shown(props.trace.model)}</span>}
        {reasons.length === 0 ? null : <span>shown early because {reasons.join(", ")}</span>}
        {props.trace.deferred_by == null ? null : (
          <span className="text-warn">
            deferred before by {shown(props.trace.deferred_by)}
            {props.trace.deferred_note == null ? "" : `: ${shown(props.trace.deferred_note)}`}
          </span>
        )}
      </footer>
    </div>
  );
});

function More(props: { what: string }) {
  return <p className="text-xs text-soft">The {props.what}is shortened. Press O to show all of it.</p>;
}

const LETTERS: Record<string, string> = {
  system: "s",
  user: "u",
  assistant: "a",
  reasoning: "r",
  tool_call: "t",
  tool_result: "=",
};

function Steps(props: { trace: QueuedTrace; step: number; onStep: (step: number) => void }) {
  const { steps } = props.trace.digest;
  if (steps == null) {
    return (
      <section aria-labelledby="digest-steps">
        <h2 id="digest-steps">Steps</h2>
        <p className="text-soft">Too large for a summary. Press O to open it.</p>
      </section>
    );
  }
  const failed = steps.listed.filter((step) => step.failed).length;
  const here = steps.listed.find((step) => step.step === props.step);
  return (
    <section aria-labelledby="digest-steps">
      <h2 id="digest-steps">
        Steps ({steps.total}
        {failed > 0 ? `, ${failed} failed` : ""})
      </h2>
      <ol className="flex flex-wrap gap-0.5 py-1">
        {steps.listed.map((step, index) => (
          <li key={step.step} className="flex">
            {index > 0 && step.step - (steps.listed[index - 1]?.step ?? 0) > 1 ? (
              <span className="px-1 text-soft">…</span>
            ) : null}
            <StepMark step={step} current={step.step === props.step} onStep={props.onStep} />
          </li>
        ))}
      </ol>
      <p className={`min-h-5 truncate text-sm ${here?.failed === true ? "text-fail" : "text-soft"}`}>
        {here === undefined ? "" : `${here.step}. ${here.kind.replace("_", " ")}: ${shown(here.title)}`}
      </p>
    </section>
  );
}

function StepMark(props: { step: DigestStep; current: boolean; onStep: (step: number) => void }) {
  const { step } = props;
  return (
    <button
      type="button"
      aria-label={`Step ${step.step}, ${step.kind.replace("_", " ")}${step.failed ? ", failed" : ""}: ${step.title}`}
      aria-current={props.current ? "step" : undefined}
      title={step.title}
      className={`h-6 min-w-6 rounded border text-xs ${props.current ? "border-accent bg-accent-tint" : "border-line"} ${step.failed ? "bg-fail-tint font-semibold text-fail" : "text-soft"}`}
      onClick={() => props.onStep(step.step)}
    >
      {LETTERS[step.kind] ?? "·"}
      {step.failed ? "!" : ""}
    </button>
  );
}

function Memories(props: { memories: DigestMemory[] }) {
  return (
    <table className="w-full text-sm">
      <thead className="sr-only">
        <tr>
          <th scope="col">Lesson</th>
          <th scope="col">q_value now</th>
          <th scope="col">After a pass</th>
          <th scope="col">After a fail</th>
        </tr>
      </thead>
      <tbody>
        {props.memories.map((memory) => (
          <tr key={memory.id} className="align-baseline">
            <td className="py-0.5 pe-3">{shown(memory.summary)}</td>
            <td className="w-28 whitespace-nowrap text-end text-soft">
              {memory.q_value.toFixed(2)} (n = {memory.evidence})
            </td>
            <td className="w-24 whitespace-nowrap text-end text-pass">
              pass {memory.q_value_after_pass.toFixed(2)}
            </td>
            <td className="w-24 whitespace-nowrap text-end text-fail">
              fail {memory.q_value_after_fail.toFixed(2)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
