// The tree of the JSON viewer.
import { expect, it } from "vitest";
import { type Json, parsed, pathLabel, search, summary } from "./json";

it("finds keys and values, and which branches to open", () => {
  const found = search({ order: { id: 1182, items: ["cup", { order: "no" }] } }, "ORDER");
  expect(found.matches.map(pathLabel)).toEqual(["$.order", "$.order.items[1].order"]);
  expect(found.open).toEqual(new Set(["[]", '["order"]', '["order","items"]', '["order","items",1]']));
});

it("finds numbers, and nothing for a missing text", () => {
  expect(search([1182, true, null], "118").matches).toEqual([[0]]);
  expect(search([1], "zzz").matches).toEqual([]);
  expect(search([1], "").matches).toEqual([]);
});

it("survives values nested deeper than the stack, and stops in large ones", () => {
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

it("writes paths in code notation", () => {
  expect(pathLabel(["a", 0, "b c", "__proto__"])).toBe('$.a[0]["b c"].__proto__');
});

it("parses only objects and arrays as JSON", () => {
  expect(parsed(' {"a":1}')).toEqual({ a: 1 });
  for (const text of ["12", '"a"', "plain", "{broken", ""]) expect(parsed(text)).toBeUndefined();
  expect([summary([]), summary({ a: 1 })]).toEqual(["[0 entries]", "{1 field}"]);
});
