// Explanations of the flags on a memory's text, and of why a memory is in quarantine.
import type { StoredMemory } from "../../api/memories";
import { t } from "../../texts";

/** Flags with which a memory is quarantined until a person releases it, regardless of its source. */
const BLOCKING = new Set(["orders", "credentials"]);

/** One sentence per flag. A newer server may send unknown flags. */
export const describeFlag = (flag: string): string =>
  t.memories.flags.about[flag] ?? t.memories.flags.unknown;

export const flagName = (flag: string): string => t.memories.flags.names[flag] ?? flag;

export const isBlocking = (flag: string): boolean => BLOCKING.has(flag);

/** Why a memory is in quarantine; empty if it is not. */
export function quarantineReasons(memory: Pick<StoredMemory, "quarantined" | "trust" | "flags">): string[] {
  if (!memory.quarantined) return [];
  const { quarantine: texts } = t.memories;
  const untrusted = memory.trust === "untrusted";
  const why = [
    untrusted ? texts.untrusted : null,
    untrusted && memory.flags.length > 0 ? texts.flagged : null,
    !untrusted && memory.flags.some(isBlocking) ? texts.blocked : null,
  ].filter((reason) => reason !== null);
  return why.length > 0 ? why : [texts.manual];
}
