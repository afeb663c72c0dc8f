// Labels of scopes.
import { expect, it } from "vitest";
import { SCOPES, DEFAULT_SCOPES, revokedPermissions } from "./scopes";

it("has a label for every default scope", () => {
  expect(revokedPermissions(DEFAULT_SCOPES)).toHaveLength(DEFAULT_SCOPES.length);
});

it("lists what stops in a fixed order", () => {
  expect(revokedPermissions(["trace:write", "memory:read"])).toEqual([SCOPES[0]?.label, SCOPES[2]?.label]);
});
