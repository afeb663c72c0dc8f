// The share of runs that received at least one lesson.
import type { Overview } from "../../api/types";
import { Interval } from "../../parts/charts/Interval";
import { sampleText, wilson } from "../../parts/charts/rates";
import { percent } from "../../parts/time";
import { t } from "../../texts";

export function MemoryUse({ used }: { used: Overview["memories_used"] }) {
  const texts = t.learning.use;
  if (used.share == null) return <p className="text-soft">{texts.none}</p>;
  const range = wilson(used.with_memories, used.runs);
  const sample = sampleText(used.with_memories, used.runs);
  return (
    <div className="flex flex-col gap-1">
      <p>
        {texts.share(
          <span className="metric">{percent(used.share)}</span>,
          <span className="text-soft">({sample})</span>,
        )}
      </p>
      <Interval
        label={texts.chart(percent(used.share), sample)}
        value={used.share}
        {...range}
        domain={[0, 1]}
        ends={[percent(0), percent(1)]}
      />
      <p className="text-sm text-soft">{texts.about}</p>
    </div>
  );
}
