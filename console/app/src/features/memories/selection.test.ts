// Selecting rows.
import { expect, it } from "vitest";
import { allOrNone, extended, toggled } from "./selection";

const IDS = ["a", "b", "c", "d"];

it("adds and removes a row", () => {
  expect([...toggled(new Set(["a"]), "b")]).toEqual(["a", "b"]);
  expect([...toggled(new Set(["a", "b"]), "a")]).toEqual(["b"]);
});

it("extends in both directions and stays in the list", () => {
  expect([...extended(new Set(), IDS, 1, 2)]).toEqual(["b", "c"]);
  expect([...extended(new Set(["d"]), IDS, 2, 1)]).toEqual(["d", "b", "c"]);
  expect([...extended(new Set(), IDS, 3, 4)]).toEqual(["d"]);
  expect([...extended(new Set(), IDS, -1, 0)]).toEqual(["a"]);
});

it("selects all, then none", () => {
  const all = allOrNone(new Set(["a"]), IDS);
  expect([...all]).toEqual(IDS);
  expect(allOrNone(all, IDS).size).toBe(0);
});
