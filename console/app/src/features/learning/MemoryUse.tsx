// The share of runs that used at least one memory.
import type { Overview } from "../../api/types";
import { Interval } from "../../parts/charts/Interval";
import { wilson } from "../../parts/charts/rates";
import { percent } from "../../parts/time";

export function MemoryUse({ used }: { used: Overview["memories_used"] }) {
  if (used.share == null) {
    return <p className="text-soft">No run was stored in the last 7 days.</p>;
  }
  const range = wilson(used.with_memories, used.runs);
  const summary = `${percent(used.share)} of n = ${used.runs.toLocaleString()} runs of the last 7 days had at least one memory`;
  return (
    <div className="flex flex-col gap-1">
      <p>
        {summary}: {used.with_memories.toLocaleString()} with,{" "}
        {(used.runs - used.with_memories).toLocaleString()} without.
      </p>
      <Interval
        label={`${summary}, 95% interval ${percent(range.low)} to ${percent(range.high)}.`}
        value={used.share}
        {...range}
        domain={[0, 1]}
        ends={["0 %", "100 %"]}
      />
      <p className="text-sm text-soft">
        A run has no memories if no similar memory was found, if it was held out, or if its client did not
        query or did not report the memories.
      </p>
    </div>
  );
}
