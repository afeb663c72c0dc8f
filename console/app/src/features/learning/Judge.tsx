// How often the judge and people agree on runs that both reviewed independently.
import type { Schemas } from "../../api/types";
import { Interval } from "../../parts/charts/Interval";
import { sampleText, wilson } from "../../parts/charts/rates";
import { shown } from "../../parts/reveal";
import { percent } from "../../parts/time";
import { t } from "../../texts";

export function Judge({ status }: { status: Schemas["JudgeStatus"] }) {
  const { agreement: has, last_week: week } = status;
  const texts = t.learning.judge;
  const share = has.agreed / has.pairs;
  const sample = sampleText(has.agreed, has.pairs);
  return (
    <div className="flex flex-col gap-2">
      <p>{shown(status.message)}</p>
      {has.pairs === 0 ? (
        <p className="text-sm text-soft">{texts.unknown}</p>
      ) : (
        <>
          <p>{texts.agreement(percent(share), sample)}</p>
          <Interval
            label={texts.chart(percent(share), sample)}
            value={share}
            {...wilson(has.agreed, has.pairs)}
            domain={[0, 1]}
            ends={[percent(0), percent(1)]}
          />
          <p className="text-sm">{texts.right(has)}</p>
          <details className="text-sm text-soft">
            <summary>{texts.details}</summary>
            <p>{texts.informedness(has)}</p>
          </details>
        </>
      )}
      <p className="text-sm text-soft">{texts.lastWeek(week)}</p>
    </div>
  );
}
