// How often the judge and people agree on runs that both reviewed independently.
import type { Schemas } from "../../api/types";
import { Interval } from "../../parts/charts/Interval";
import { wilson } from "../../parts/charts/rates";
import { shown } from "../../parts/reveal";
import { percent } from "../../parts/time";

export function Judge({ status }: { status: Schemas["JudgeStatus"] }) {
  const { agreement: has, last_week: week } = status;
  const range = wilson(has.agreed, has.pairs);
  return (
    <div className="flex flex-col gap-2">
      <p>{shown(status.message)}</p>
      {has.pairs === 0 ? (
        <p className="text-sm text-soft">
          No run has both a blind judge verdict and a human review, so the agreement is unknown (n = 0).
        </p>
      ) : (
        <>
          <p>
            The judge and people agree on {percent(has.agreed / has.pairs)} of n = {has.pairs} runs (
            {percent(range.low)} to {percent(range.high)}).
          </p>
          <Interval
            label={`Agreement ${percent(has.agreed / has.pairs)}, 95% interval ${percent(range.low)} to ${percent(range.high)}, n = ${has.pairs}.`}
            value={has.agreed / has.pairs}
            {...range}
            domain={[0, 1]}
            ends={["0 %", "100 %"]}
          />
          <p className="text-sm">
            The judge is right on {has.passes_right} of {has.passes} runs that people passed and on{" "}
            {has.fails_right} of {has.fails} that they failed. Informedness: {has.informedness.toFixed(2)}. A
            review by the judge changes utilities with a learning rate of {has.step.toFixed(3)}.
          </p>
        </>
      )}
      <p className="text-sm text-soft">
        In the last 7 days: {week.judged} judged, {week.passed} pass, {week.failed} fail, {week.unclear}{" "}
        unclear, {week.blind} blind. {week.applied} became reviews.
      </p>
    </div>
  );
}
