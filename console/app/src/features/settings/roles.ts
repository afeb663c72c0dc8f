// The roles of members and what each of them may do. The server enforces it; this is the text for people.
import type { Role } from "../../api/types";

/** From the lowest role to the highest. A role includes all lower ones. */
export const ROLES: readonly { value: Role; label: string; hint: string }[] = [
  { value: "viewer", label: "Viewer", hint: "read only" },
  { value: "reviewer", label: "Reviewer", hint: "also reviews runs" },
  {
    value: "maintainer",
    label: "Maintainer",
    hint: "also stores runs and edits memories; no keys, no settings, no deletion",
  },
  {
    value: "admin",
    label: "Admin",
    hint: "also manages keys, settings and roles; with access to all projects also members",
  },
];

/** What members may do, with the lowest role that may do it. */
export const PERMISSIONS: readonly { what: string; least: Role }[] = [
  { what: "See runs, memories and statistics", least: "viewer" },
  { what: "Review runs", least: "reviewer" },
  { what: "Store runs, edit memories, write skills", least: "maintainer" },
  { what: "Manage keys, roles and settings; erase and delete", least: "admin" },
];

const rank = (role: Role) => ROLES.findIndex((one) => one.value === role);

/** Whether a member with this role may do what requires `least`. */
export function includesRole(role: Role, least: Role): boolean {
  return rank(role) >= rank(least);
}

/** All roles of a member on one line. */
export function rolesText(
  role: Role | null,
  projects: readonly { project_id: string; role: Role }[],
): string {
  const single = projects.map((one) => `${one.role} of ${one.project_id}`);
  const all = role === null ? single : [`${role} of all projects`, ...single];
  return all.length === 0 ? "no role" : all.join(", ");
}
