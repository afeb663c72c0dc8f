// Roles of members.
import { expect, it } from "vitest";
import { includesRole, ROLES, rolesText } from "./roles";

it("gives every role the permissions of the lower ones", () => {
  const counts = ROLES.map((role) => ROLES.filter((least) => includesRole(role.value, least.value)).length);
  expect(counts).toEqual([1, 2, 3, 4]);
});

it("names the role everywhere before the roles in single projects", () => {
  const single = [{ project_id: "support", role: "admin" as const }];
  expect(rolesText("viewer", single)).toBe("viewer in all projects, admin in support");
  expect(rolesText(null, single)).toBe("admin in support");
  expect(rolesText(null, [])).toBe("no role");
});
