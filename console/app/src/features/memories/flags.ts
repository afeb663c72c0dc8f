// What looks out of place in a memory's text, and why a memory waits, in words.
import type { StoredMemory } from "../../api/memories";

const WORDS: Readonly<Record<string, string>> = {
  orders: "It speaks to its reader as somebody who takes orders.",
  credentials: "It holds what looks like a password or a key.",
  link: "It points to an address on the network.",
  code: "It holds something to execute.",
  copy: "It repeats more than 200 characters of a tool’s answer.",
};
/** Those with which a lesson waits for a person, whoever sent it. */
const GRAVE = new Set(["orders", "credentials"]);

/** One sentence about a flag; servers may come to know others. */
export const flagWords = (flag: string): string => WORDS[flag] ?? "Something in its text looks out of place.";

export const isGrave = (flag: string): boolean => GRAVE.has(flag);

/** Why a memory waits in quarantine; nothing when it does not. */
export function whyItWaits(memory: Pick<StoredMemory, "quarantined" | "trust" | "flags">): string[] {
  if (!memory.quarantined) return [];
  const untrusted = memory.trust === "untrusted";
  const why = [
    untrusted ? "What an untrusted key brings waits until somebody vouches for it." : null,
    untrusted && memory.flags.length > 0 ? "This one is flagged, so only a person can let it out." : null,
    !untrusted && memory.flags.some(isGrave)
      ? "A lesson that looks like orders or holds credentials waits for a person, whoever sent it."
      : null,
  ].filter((reason) => reason !== null);
  return why.length > 0 ? why : ["Somebody put it into quarantine."];
}
