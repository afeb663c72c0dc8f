import type { ReactNode } from "react";

export const keyActions = {
  revoke: {
    title: (label: string) => `Revoke ${label}?`,
    submit: "Revoke key",
    revoked: (label: string) => `${label} was revoked.`,
    /** `lastUsed` is null for a key that was never used. */
    warning: (lastUsed: ReactNode, isMaster: boolean) => (
      <>
        Programs that use this key, or a key created with it, stop working within 5 seconds. This cannot be
        undone. {lastUsed === null ? "It was never used." : <>It was last used {lastUsed}.</>}
        {isMaster ? " It works in every project, so programs of all projects are affected." : ""}
      </>
    ),
    noLonger: "They can no longer:",
    stays: "Runs, reviews and lessons created with it stay.",
  },
  rotate: {
    title: (label: string) => `Rotate ${label}?`,
    about:
      "You get a new key with the same permissions, trust and allowed addresses. The old key works for another 24 hours. Give the new key to the program within that time.",
    submit: "Create new key",
    done: "Done",
    created: (label: string) => `New key “${label}”`,
  },
};
