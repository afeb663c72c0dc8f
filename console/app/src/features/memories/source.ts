// Selects everything from one source: a key, a trace, a time range.
import type { MemorySelection } from "../../api/memories";

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export type Source = {
  kind: "key" | "trace" | "time";
  key: string;
  trace: string;
  /** The value format of a datetime-local input: local time without seconds. */
  from: string;
  to: string;
};

export const NO_SOURCE: Source = { kind: "key", key: "", trace: "", from: "", to: "" };

const momentOf = (local: string) => {
  const time = local === "" ? Number.NaN : Date.parse(local);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
};

/**
 * Which memories these are; null while the selection is incomplete. A time range also narrows the other kinds.
 */
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
