// Who released a memory from quarantine.
import { expect, it } from "vitest";
import type { HistoryStep } from "../../api/memories";
import { activeReleases } from "./releases";

const care = (facet: string, after: unknown, undone = false) =>
  ({
    at: "2026-11-15T12:00:00Z",
    review: null,
    care: { action_id: "a", kind: "memory.release", actor: "member:ana", facet, before: null, after, undone },
  }) as unknown as HistoryStep;

it("names members whose release was not undone", () => {
  expect(activeReleases([care("quarantined", false)])).toEqual([
    { actor: "member:ana", at: "2026-11-15T12:00:00Z" },
  ]);
  expect(
    activeReleases([care("quarantined", true), care("quarantined", false, true), care("pinned", false)]),
  ).toEqual([]);
});
