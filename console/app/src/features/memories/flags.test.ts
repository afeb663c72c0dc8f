// Why a memory is in quarantine.
import { expect, it } from "vitest";
import { describeFlag, quarantineReasons } from "./flags";

const waiting = { quarantined: true, trust: "normal", flags: [] as string[] } as const;

it("explains the quarantine by source and flags", () => {
  expect(quarantineReasons({ ...waiting, flags: ["link", "orders"] })).toEqual([
    "A lesson that looks like instructions or contains credentials stays in quarantine until a person releases it.",
  ]);
  expect(quarantineReasons({ ...waiting, trust: "untrusted" })).toEqual([
    "A memory from an untrusted key stays in quarantine until a member releases it.",
  ]);
  expect(quarantineReasons({ ...waiting, trust: "untrusted", flags: ["copy"] })).toEqual([
    "A memory from an untrusted key stays in quarantine until a member releases it.",
    "This memory is flagged, so only a person can release it.",
  ]);
});

it("does not attribute a manual quarantine to a flag, and explains nothing outside quarantine", () => {
  expect(quarantineReasons({ ...waiting, flags: ["link", "code"] })).toEqual([
    "A member put it into quarantine.",
  ]);
  expect(quarantineReasons({ ...waiting, quarantined: false, flags: ["orders"] })).toEqual([]);
});

it("has a sentence for every flag, also for an unknown one", () => {
  const known = ["orders", "credentials", "link", "code", "copy"].map(describeFlag);
  expect(new Set([...known, describeFlag("newer")]).size).toBe(6);
});
