// Status chips of a memory: why it is not served, flags, pinned, and the trust of its source.
import { Ban, GitMerge, type LucideIcon, Pin, ShieldQuestion, Trash2 } from "lucide-react";
import type { MemoryStatus, StoredMemory } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { describeFlag, flagName, isBlocking } from "./flags";

const STYLES: Partial<Record<MemoryStatus, { icon: LucideIcon; look: string }>> = {
  quarantined: { icon: ShieldQuestion, look: "bg-warn-tint text-warn" },
  disabled: { icon: Ban, look: "text-soft" },
  merged: { icon: GitMerge, look: "text-soft" },
  deleted: { icon: Trash2, look: "bg-fail-tint text-fail" },
  retired: { icon: Ban, look: "text-soft" },
  erased: { icon: Trash2, look: "bg-fail-tint text-fail" },
};

export function StatusChips(props: {
  memory: Pick<StoredMemory, "status"> &
    Partial<Pick<StoredMemory, "pinned" | "quarantined" | "trust" | "flags" | "superseded_by">>;
  /** On one line, for rows of equal height. */
  oneLine?: boolean;
}) {
  const { status, pinned, quarantined, trust, flags = [] } = props.memory;
  const { superseded, supersededAbout, pinned: pinnedLabel, trust: trustLabels } = t.memories;
  return (
    <span className={`inline-flex items-center gap-1 ${props.oneLine === true ? "" : "flex-wrap"}`}>
      {props.memory.superseded_by == null ? (
        <StatusChip status={status} />
      ) : (
        <span className="chip text-soft" title={supersededAbout}>
          <Ban size={12} aria-hidden="true" /> {superseded}
        </span>
      )}
      {quarantined === true && status !== "quarantined" ? <StatusChip status="quarantined" /> : null}
      {flags.length > 0 ? <FlagChip flags={flags} /> : null}
      {pinned === true ? (
        <span className="chip bg-accent-tint text-accent">
          <Pin size={12} aria-hidden="true" /> {pinnedLabel}
        </span>
      ) : null}
      {trust === "untrusted" ? (
        <span className="chip bg-warn-tint text-warn">{trustLabels.untrusted}</span>
      ) : null}
    </span>
  );
}

/** All flags in one chip without an icon: a row has little space. */
function FlagChip(props: { flags: readonly string[] }) {
  return (
    <span
      className={`chip ${props.flags.some(isBlocking) ? "bg-warn-tint text-warn" : "text-soft"}`}
      title={props.flags.map(describeFlag).join(" ")}
    >
      <span className="sr-only">{t.memories.flags.label}</span> {shown(props.flags.map(flagName).join(", "))}
    </span>
  );
}

function StatusChip(props: { status: MemoryStatus }) {
  const look = STYLES[props.status];
  const label = t.memories.status[props.status];
  if (look === undefined) return <span className="text-sm text-soft">{label}</span>;
  return (
    <span className={`chip ${look.look}`}>
      <look.icon size={12} aria-hidden="true" /> {label}
    </span>
  );
}
