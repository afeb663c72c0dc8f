// The tree behind a JSON view.
import { expect, it } from "vitest";
import { type Json, parsed, pathLabel, search, summary } from "./json";

it("finds names and values, and says what to open", () => {
  const found = search({ order: { id: 1182, items: ["cup", { order: "no" }] } }, "ORDER");
  expect(found.matches.map(pathLabel)).toEqual(["$.order", "$.order.items[1].order"]);
  expect(found.open).toEqual(new Set(["[]", '["order"]', '["order","items"]', '["order","items",1]']));
});

it("finds numbers and what is not there", () => {
  expect(search([1182, true, null], "118").matches).toEqual([[0]]);
  expect(search([1], "zzz").matches).toEqual([]);
  expect(search([1], "").matches).toEqual([]);
});

it("survives values that are nested deeper than the stack, and stops in large ones", () => {
  let deep: Json = "end";
  for (let level = 0; level < 2000; level += 1) deep = [deep];
  expect(search(deep, "end").matches).toHaveLength(1);
  expect(
    search(
      Array.from({ length: 60_000 }, (_, n) => n),
      "59999",
    ),
  ).toMatchObject({ matches: [], cut: true });
});

it("writes paths as code would", () => {
  expect(pathLabel(["a", 0, "b c", "__proto__"])).toBe('$.a[0]["b c"].__proto__');
});

it("reads only text with structure as JSON", () => {
  expect(parsed(' {"a":1}')).toEqual({ a: 1 });
  for (const text of ["12", '"a"', "plain", "{broken", ""]) expect(parsed(text)).toBeUndefined();
  expect([summary([]), summary({ a: 1 })]).toEqual(["[0 entries]", "{1 field}"]);
});
