// Why a memory waits.
import { expect, it } from "vitest";
import { flagWords, whyItWaits } from "./flags";

const waiting = { quarantined: true, trust: "normal", flags: [] as string[] } as const;

it("says why a memory waits, from where it came and what it says", () => {
  expect(whyItWaits({ ...waiting, flags: ["link", "orders"] })).toEqual([
    "A lesson that looks like orders or holds credentials waits for a person, whoever sent it.",
  ]);
  expect(whyItWaits({ ...waiting, trust: "untrusted" })).toEqual([
    "What an untrusted key brings waits until somebody vouches for it.",
  ]);
  expect(whyItWaits({ ...waiting, trust: "untrusted", flags: ["copy"] })).toEqual([
    "What an untrusted key brings waits until somebody vouches for it.",
    "This one is flagged, so only a person can let it out.",
  ]);
});

it("blames no flag for what somebody did, and nothing for what does not wait", () => {
  expect(whyItWaits({ ...waiting, flags: ["link", "code"] })).toEqual(["Somebody put it into quarantine."]);
  expect(whyItWaits({ ...waiting, quarantined: false, flags: ["orders"] })).toEqual([]);
});

it("has a sentence for every flag, also for one that it does not know", () => {
  const known = ["orders", "credentials", "link", "code", "copy"].map(flagWords);
  expect(new Set([...known, flagWords("newer")]).size).toBe(6);
});
