// The actions that remove a memory, apart from all others.
import type { MemoryDetail } from "../../api/memories";
import { useKeys } from "../../keys/KeyProvider";
import { t } from "../../texts";
import { Block } from "./Block";

export function Removal(props: { memory: MemoryDetail }) {
  const { run } = useKeys();
  const { status, author_key_id, source_trace_id } = props.memory;
  const canDelete = status === "active" || status === "quarantined" || status === "disabled";
  const hasSource = author_key_id != null || source_trace_id != null;
  const { removal: texts } = t.memory;
  const offered = [
    canDelete ? { action: "delete", ...texts.delete } : null,
    status === "erased" ? null : { action: "erase", ...texts.erase },
    hasSource ? { action: "retire", ...texts.source } : null,
  ].filter((one) => one !== null);
  return offered.length === 0 ? null : (
    <Block title={texts.title}>
      <ul className="flex flex-col gap-2">
        {offered.map(({ action, label, about }) => (
          <li key={action} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <button type="button" className="btn btn-small border-fail text-fail" onClick={() => run(action)}>
              {label}
            </button>
            <span className="text-sm text-soft">{about}</span>
          </li>
        ))}
      </ul>
    </Block>
  );
}
