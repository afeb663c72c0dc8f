import type { ReactNode } from "react";
import { number } from "../../../parts/time";

export const members = {
  title: "Members",
  about: "Who can see and change this project",
  seeOrChangeRoles: "see or change the roles of members",
  list: "Members",
  listed: (count: number) => `Members (${number(count)})`,
  listAbout:
    "Everyone with access to this server. To remove someone, disable them: they are signed out at once and their keys stop working. Their reviews stay.",
  disabled: "disabled",
  you: "you",
  /** `lastSeen` is null for a member who never signed in. */
  history: (roles: string, inviter: string, invited: ReactNode, lastSeen: ReactNode) => (
    <>
      {roles} · invited by {inviter} {invited} ·{" "}
      {lastSeen === null ? "never signed in" : <>last seen {lastSeen}</>}
    </>
  ),
  roleOf: (name: string) => `Role of ${name} in all projects`,
  someProjects: "some projects only",
  enable: "Enable",
  enableNamed: (name: string) => `Enable ${name}`,
  newLink: "New link",
  newLinkFor: (name: string) => `New link for ${name}`,
  linkAbout: "Earlier links no longer work.",
  disable: "Disable",
  disableNamed: (name: string) => `Disable ${name}`,
  confirmDisable: (name: string) => `Disable ${name}?`,
  disableAbout:
    "They are signed out at once, their sign-in links stop working, and the API keys that they created are revoked. Their reviews stay and still count. You can enable them again later.",
  sessions: {
    title: "Your sessions",
    about: "Where you are signed in. You are signed out after 12 hours without use, and after 7 days.",
    unknownBrowser: "Unknown browser",
    times: (began: ReactNode, used: ReactNode, ends: ReactNode) => (
      <>
        Signed in {began}, last used {used}, ends {ends}
      </>
    ),
    current: "This browser",
    signOut: "Sign out",
  },
};
