// Scopes in words.
import { expect, it } from "vitest";
import { SCOPES, USUAL, whatStops } from "./scopes";

it("has words for every scope that a usual key has", () => {
  expect(whatStops(USUAL)).toHaveLength(USUAL.length);
});

it("says what stops in the order of the loop, whatever the order of the key", () => {
  expect(whatStops(["trace:write", "memory:read"])).toEqual([SCOPES[0]?.says, SCOPES[2]?.says]);
});
