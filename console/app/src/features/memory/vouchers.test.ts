// Who let a memory out of quarantine.
import { expect, it } from "vitest";
import type { HistoryStep } from "../../api/memories";
import { vouchers } from "./vouchers";

const care = (facet: string, after: unknown, undone = false) =>
  ({
    at: "2026-11-15T12:00:00Z",
    review: null,
    care: { action_id: "a", kind: "memory.release", actor: "member:ana", facet, before: null, after, undone },
  }) as unknown as HistoryStep;

it("names whoever released it, unless that was undone", () => {
  expect(vouchers([care("quarantined", false)])).toEqual([
    { actor: "member:ana", at: "2026-11-15T12:00:00Z" },
  ]);
  expect(
    vouchers([care("quarantined", true), care("quarantined", false, true), care("pinned", false)]),
  ).toEqual([]);
});
