// How a memory stands, in chips: why it may not be served, whether it is pinned, whom it came from.
import { Ban, GitMerge, type LucideIcon, Pin, ShieldQuestion, Trash2 } from "lucide-react";
import type { MemoryStatus, StoredMemory } from "../../api/memories";

const LOOKS: Partial<Record<MemoryStatus, { icon: LucideIcon; look: string }>> = {
  quarantined: { icon: ShieldQuestion, look: "bg-warn-tint text-warn" },
  disabled: { icon: Ban, look: "text-soft" },
  merged: { icon: GitMerge, look: "text-soft" },
  deleted: { icon: Trash2, look: "bg-fail-tint text-fail" },
  retired: { icon: Ban, look: "text-soft" },
  erased: { icon: Trash2, look: "bg-fail-tint text-fail" },
};

export function StatusChips(props: {
  memory: Pick<StoredMemory, "status"> & Partial<Pick<StoredMemory, "pinned" | "quarantined" | "trust">>;
}) {
  const { status, pinned, quarantined, trust } = props.memory;
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <StatusChip status={status} />
      {quarantined === true && status !== "quarantined" ? <StatusChip status="quarantined" /> : null}
      {pinned === true ? (
        <span className="chip bg-accent-tint text-accent">
          <Pin size={12} aria-hidden="true" /> pinned
        </span>
      ) : null}
      {trust === "untrusted" ? <span className="chip bg-warn-tint text-warn">untrusted</span> : null}
    </span>
  );
}

function StatusChip(props: { status: MemoryStatus }) {
  const look = LOOKS[props.status];
  if (look === undefined) return <span className="text-sm text-soft">{props.status}</span>;
  return (
    <span className={`chip ${look.look}`}>
      <look.icon size={12} aria-hidden="true" /> {props.status}
    </span>
  );
}
