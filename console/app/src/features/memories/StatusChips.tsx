// How a memory stands, in chips: why it may not be served, what looks out of place, whether it is pinned, whom it came
// from.
import { Ban, GitMerge, type LucideIcon, Pin, ShieldQuestion, Trash2 } from "lucide-react";
import type { MemoryStatus, StoredMemory } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { flagWords, isGrave } from "./flags";

const LOOKS: Partial<Record<MemoryStatus, { icon: LucideIcon; look: string }>> = {
  quarantined: { icon: ShieldQuestion, look: "bg-warn-tint text-warn" },
  disabled: { icon: Ban, look: "text-soft" },
  merged: { icon: GitMerge, look: "text-soft" },
  deleted: { icon: Trash2, look: "bg-fail-tint text-fail" },
  retired: { icon: Ban, look: "text-soft" },
  erased: { icon: Trash2, look: "bg-fail-tint text-fail" },
};

export function StatusChips(props: {
  memory: Pick<StoredMemory, "status"> &
    Partial<Pick<StoredMemory, "pinned" | "quarantined" | "trust" | "flags">>;
  /** On one line, for rows that are all equally high. */
  oneLine?: boolean;
}) {
  const { status, pinned, quarantined, trust, flags = [] } = props.memory;
  return (
    <span className={`inline-flex items-center gap-1 ${props.oneLine === true ? "" : "flex-wrap"}`}>
      <StatusChip status={status} />
      {quarantined === true && status !== "quarantined" ? <StatusChip status="quarantined" /> : null}
      {flags.length > 0 ? <FlagChip flags={flags} /> : null}
      {pinned === true ? (
        <span className="chip bg-accent-tint text-accent">
          <Pin size={12} aria-hidden="true" /> pinned
        </span>
      ) : null}
      {trust === "untrusted" ? <span className="chip bg-warn-tint text-warn">untrusted</span> : null}
    </span>
  );
}

/** All flags in one chip, without a picture: a row has room for little more than the status. */
function FlagChip(props: { flags: readonly string[] }) {
  return (
    <span
      className={`chip ${props.flags.some(isGrave) ? "bg-warn-tint text-warn" : "text-soft"}`}
      title={props.flags.map(flagWords).join(" ")}
    >
      <span className="sr-only">flags:</span> {shown(props.flags.join(", "))}
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
