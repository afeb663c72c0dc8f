// The roles of members and what each of them may do. The server enforces it; this is the text for people.
import type { Role } from "../../api/types";
import { t } from "../../texts";

const NAMES: readonly Role[] = ["viewer", "reviewer", "maintainer", "admin"];

/** From the lowest role to the highest. A role includes all lower ones. */
export const ROLES = NAMES.map((value) => ({
  value,
  get label() {
    return t.settings.roles.options[value].label;
  },
  get hint() {
    return t.settings.roles.options[value].hint;
  },
}));

/** Whether a member with this role may do what requires `least`. */
export function includesRole(role: Role, least: Role): boolean {
  return NAMES.indexOf(role) >= NAMES.indexOf(least);
}

/** All roles of a member on one line. */
export function rolesText(
  role: Role | null,
  projects: readonly { project_id: string; role: Role }[],
): string {
  const texts = t.settings.roles;
  const single = projects.map((one) => texts.inProject(texts.names[one.role], one.project_id));
  const all = role === null ? single : [texts.inAll(texts.names[role]), ...single];
  return all.length === 0 ? texts.none : all.join(", ");
}
