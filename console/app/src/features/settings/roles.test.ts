// Roles of members.
import { expect, it } from "vitest";
import { includesRole, PERMISSIONS, ROLES, rolesText } from "./roles";

it("gives every role the permissions of the lower ones", () => {
  const counts = ROLES.map((role) => PERMISSIONS.filter((one) => includesRole(role.value, one.least)).length);
  expect(counts).toEqual([1, 2, 3, 4]);
});

it("names the role everywhere before the roles in single projects", () => {
  const single = [{ project_id: "support", role: "admin" as const }];
  expect(rolesText("viewer", single)).toBe("viewer of all projects, admin of support");
  expect(rolesText(null, single)).toBe("admin of support");
  expect(rolesText(null, [])).toBe("no role");
});
