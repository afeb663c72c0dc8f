// Everything that came from one source: a key, a trace, a stretch of time.
import type { MemorySelection } from "../../api/memories";
import { UUID } from "../traces/filter";

export type Source = {
  kind: "key" | "trace" | "time";
  key: string;
  trace: string;
  /** As a browser's field for a date and time has it: local, without seconds. */
  from: string;
  to: string;
};

export const NO_SOURCE: Source = { kind: "key", key: "", trace: "", from: "", to: "" };

const momentOf = (local: string) => {
  const time = local === "" ? Number.NaN : Date.parse(local);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
};

/** Which memories that are; null while it is not said completely. A stretch of time narrows the others too. */
export function sourceSelection(source: Source): MemorySelection | null {
  const [after, before] = [momentOf(source.from), momentOf(source.to)];
  if (after !== null && before !== null && after >= before) return null;
  const time = {
    ...(after === null ? {} : { created_after: after }),
    ...(before === null ? {} : { created_before: before }),
  };
  if (source.kind === "key") return UUID.test(source.key) ? { author_key_id: source.key, ...time } : null;
  if (source.kind === "trace")
    return UUID.test(source.trace) ? { source_trace_id: source.trace, ...time } : null;
  return after === null && before === null ? null : time;
}
