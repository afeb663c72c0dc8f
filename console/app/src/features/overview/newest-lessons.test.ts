// The newest lessons of the overview.
import { expect, it } from "vitest";
import type { Overview } from "../../api/types";
import { newestLessons } from "./newest-lessons";

const memory = (
  id: string,
  more: Partial<Overview["newest_memories"][number]>,
): Overview["newest_memories"][number] => ({
  id,
  task: "Refund order 1182",
  summary: "",
  origin: "review",
  success: false,
  created_at: "2026-11-15T12:00:00Z",
  ...more,
});

it("shows each text once and no lesson that only says that a run passed", () => {
  const rows = [
    memory("a", { summary: "Look the price up first." }),
    memory("b", { summary: "Look the price up first." }),
    memory("c", { summary: 'A run of "Refund order 7" passed', origin: "offline", success: true }),
    memory("d", { summary: "Refund the voucher.", origin: "offline" }),
  ];
  expect(newestLessons(rows).map((row) => row.id)).toEqual(["a", "d"]);
});
