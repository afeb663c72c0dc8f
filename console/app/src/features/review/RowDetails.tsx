// The whole texts of a row, rendered like in the trace.
import type { Step } from "../../api/types";
import { t } from "../../texts";
import { StepBody } from "../trace/StepCard";

export function RowDetails(props: { project: string; trace: string; steps: readonly Step[] }) {
  return (
    <div className="flex flex-col gap-1 pb-2 pe-2">
      {props.steps.map((step) => (
        <div key={step.n}>
          {step.kind === "tool_result" ? (
            <p className="ps-9 text-xs font-semibold text-soft">{t.review.steps.result}</p>
          ) : null}
          <StepBody project={props.project} trace={props.trace} step={step} unfolded />
        </div>
      ))}
    </div>
  );
}
