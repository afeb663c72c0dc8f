// What can be done with the situations of a lesson.
import { expect, it } from "vitest";
import { leaving, memoryToEdit } from "./situation-rules";

const active = { id: "a", status: "active" } as const;
const disabled = { id: "d", status: "disabled" } as const;
const merged = { id: "m", status: "merged" } as const;
const erased = { id: "e", status: "erased" } as const;

it("edits a lesson through its speaker, or else through the newest memory that may be edited", () => {
  expect(memoryToEdit("d", [active, disabled])).toBe(disabled);
  expect(memoryToEdit("m", [merged, disabled, active])).toBe(disabled);
  expect(memoryToEdit("not listed", [erased, active])).toBe(active);
  expect(memoryToEdit("m", [merged, erased])).toBeUndefined();
});

it("splits off and moves what is selected, still there and not merged", () => {
  expect(leaving([active, disabled, merged], new Set(["a", "m", "gone"]))).toEqual(new Set(["a"]));
});
