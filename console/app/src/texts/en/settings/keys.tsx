import type { ReactNode } from "react";
import { atLeast } from "../../../parts/time";

export const keys = {
  title: "API keys",
  about: "Access for your programs",
  seeOrCreate: "see or create keys",
  list: "Keys",
  listed: (count: number, more: boolean) => `Keys (${atLeast(count, more)})`,
  listAbout:
    "Only the beginning of a key is stored. Revoked keys stay in the list, because reviews may name them.",
  none: "No keys yet. Your agent needs one to store runs and to receive lessons. Create the first one above.",
  showMore: "Show more",
  status: { active: "active", expired: "expired", revoked: "revoked" },
  trust: { normal: "normal trust", untrusted: "untrusted", trusted: "trusted" },
  expiresSoon: "expires soon",
  allProjects: "all projects",
  addresses: (ranges: string) => `Works only from ${ranges}`,
  history: (creator: string, created: ReactNode, used: ReactNode, end: ReactNode) => (
    <>
      Created by {creator} {created}, {used}, {end}
    </>
  ),
  neverUsed: "never used",
  lastUsed: (time: ReactNode) => <>last used {time}</>,
  revoked: (time: ReactNode) => <>revoked {time}</>,
  expired: (time: ReactNode) => <>expired {time}</>,
  expires: (time: ReactNode) => <>expires {time}</>,
  doesNotExpire: "does not expire",
  rotate: "Rotate",
  rotateNamed: (label: string) => `Rotate ${label}`,
  revoke: "Revoke",
  revokeNamed: (label: string) => `Revoke ${label}`,
  create: {
    title: "Create a key",
    about: "Create one key per program, so that you can revoke each one separately.",
    created: (label: string) => `Key “${label}”`,
    saveNow: "Save it now where the program reads its secrets.",
    label: "Label",
    labelHint: "For example the program and where it runs.",
    permissions: "Permissions",
    trust: "Trust",
    trusts: {
      normal: { label: "Normal", hint: "for your own programs" },
      untrusted: {
        label: "Untrusted",
        hint: "for agents that talk to the public: their lessons wait until a member releases them",
      },
      trusted: { label: "Trusted", hint: "counts as much as your own reviews" },
    },
    environment: "Environment",
    environmentHint: "Appears in the key, so that you recognise it.",
    expires: "Expires",
    expiresHint: "The default is 90 days. The server may set a maximum.",
    expiry: {
      default: "Default",
      days: (days: number) => `In ${days} days`,
      year: "In a year",
      never: "Never",
    },
    addresses: "Allowed addresses",
    addressesHint:
      "IP addresses or ranges such as 10.0.0.0/8, separated by commas. Leave it empty to allow all.",
    submit: "Create key",
  },
};
