// How many runs had a memory.
import type { Overview } from "../../api/types";
import { Interval } from "../../parts/charts/Interval";
import { wilson } from "../../parts/charts/rates";
import { percent } from "../../parts/time";

export function Used({ used }: { used: Overview["memories_used"] }) {
  if (used.share == null) {
    return <p className="text-soft">No run was stored in the last 7 days.</p>;
  }
  const range = wilson(used.with_memories, used.runs);
  const said = `${percent(used.share)} of n = ${used.runs.toLocaleString()} runs of the last 7 days had at least one memory`;
  return (
    <div className="flex flex-col gap-1">
      <p>
        {said}: {used.with_memories.toLocaleString()} with,{" "}
        {(used.runs - used.with_memories).toLocaleString()} without.
      </p>
      <Interval
        label={`${said}, ${percent(range.low)} to ${percent(range.high)} in 95 of 100 cases.`}
        value={used.share}
        {...range}
        domain={[0, 1]}
        ends={["0 %", "100 %"]}
      />
      <p className="text-sm text-soft">
        Runs are without because nothing similar was found, because they were held out, or because their
        client did not ask or did not say so.
      </p>
    </div>
  );
}
