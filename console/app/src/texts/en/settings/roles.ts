export const roles = {
  names: { viewer: "viewer", reviewer: "reviewer", maintainer: "maintainer", admin: "admin" },
  options: {
    viewer: { label: "Viewer", hint: "can read" },
    reviewer: { label: "Reviewer", hint: "can also review runs" },
    maintainer: { label: "Maintainer", hint: "can also store runs and edit lessons" },
    admin: {
      label: "Admin",
      hint: "can also manage keys, settings and roles; if the role is for all projects, also members",
    },
  },
  /** What a role may do that the lower roles may not. */
  permissions: {
    viewer: "See runs, lessons and statistics",
    reviewer: "Review runs",
    maintainer: "Store runs, edit lessons, write skills",
    admin: "Manage keys, roles and settings, delete data",
  },
  none: "no role",
  inProject: (role: string, project: string) => `${role} in ${project}`,
  inAll: (role: string) => `${role} in all projects`,
  project: {
    title: (project: string) => `Roles in ${project}`,
    about:
      "Who can see this project, and what they may do. If someone also has a role in all projects, the higher one applies.",
    table: "Roles in this project",
    member: "Member",
    effective: "Effective role",
    own: "Role in this project",
    noEffective: "none",
    noOwn: "No role here",
    roleOf: (name: string) => `Role of ${name}`,
    disabled: "disabled",
    add: "Add a member",
    addHint: "The name of someone who is already a member of this server.",
    addSubmit: "Add to project",
  },
  table: {
    title: "What each role may do",
    about: "A member can have a different role in each project.",
    action: "Action",
    yes: "yes",
    no: "no",
  },
};
