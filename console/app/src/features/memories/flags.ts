// Explanations of the flags on a memory's text, and of why a memory is in quarantine.
import type { StoredMemory } from "../../api/memories";

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  orders: "The text addresses its reader with instructions.",
  credentials: "The text contains what looks like a password or a key.",
  link: "The text contains a network address.",
  code: "The text contains something to execute.",
  copy: "The text repeats more than 200 characters of a tool result.",
};
/** Flags with which a memory is quarantined until a person releases it, regardless of its source. */
const BLOCKING = new Set(["orders", "credentials"]);

/** One sentence per flag. A newer server may send unknown flags. */
export const describeFlag = (flag: string): string => DESCRIPTIONS[flag] ?? "The text looks suspicious.";

export const isBlocking = (flag: string): boolean => BLOCKING.has(flag);

/** Why a memory is in quarantine; empty if it is not. */
export function quarantineReasons(memory: Pick<StoredMemory, "quarantined" | "trust" | "flags">): string[] {
  if (!memory.quarantined) return [];
  const untrusted = memory.trust === "untrusted";
  const why = [
    untrusted ? "A memory from an untrusted key stays in quarantine until a member releases it." : null,
    untrusted && memory.flags.length > 0 ? "This memory is flagged, so only a person can release it." : null,
    !untrusted && memory.flags.some(isBlocking)
      ? "A lesson that looks like instructions or contains credentials stays in quarantine until a person releases it."
      : null,
  ].filter((reason) => reason !== null);
  return why.length > 0 ? why : ["A member put it into quarantine."];
}
