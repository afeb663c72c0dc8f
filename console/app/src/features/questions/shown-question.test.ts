// A refetched list must not exchange the question on screen.
import { expect, it } from "vitest";
import { placeOf } from "./shown-question";

it("starts with the first question", () => {
  expect(placeOf(["a", "b"], { id: undefined, place: 0 })).toBe(0);
  expect(placeOf([], { id: undefined, place: 0 })).toBe(0);
});

it("keeps the question if newer ones come before it", () => {
  expect(placeOf(["new", "a", "b"], { id: "a", place: 0 })).toBe(1);
  expect(placeOf(["b"], { id: "b", place: 1 })).toBe(0);
});

it("shows the question that follows if the shown one is answered", () => {
  expect(placeOf(["a", "c"], { id: "b", place: 1 })).toBe(1);
  expect(placeOf(["a"], { id: "b", place: 1 })).toBe(0);
  expect(placeOf([], { id: "b", place: 1 })).toBe(0);
});
