// Checks the member's permissions in the current project, and explains a missing one.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { sessionQuery } from "../api/queries";
import type { Role, Scope } from "../api/types";

/** The signed-in member. */
export function useMember() {
  return useSuspenseQuery(sessionQuery).data.member;
}

/** The current project with the member's role and scopes; undefined outside of a project. */
function useProjectAccess() {
  const { project } = useParams({ strict: false });
  return useSuspenseQuery(sessionQuery).data.projects.find((one) => one.project_id === project);
}

/** The scopes of the member in this project. */
export function useScopes(): readonly Scope[] {
  return useProjectAccess()?.scopes ?? [];
}

/** Whether the member has a scope in this project. */
export function usePermission(scope: Scope): boolean {
  return useScopes().includes(scope);
}

const ALLOWED_ROLES: Partial<Record<Scope, string>> = {
  "key:manage": "Admins can.",
  "project:admin": "Admins can.",
  "memory:write": "Admins and maintainers can.",
  "review:write": "Admins, maintainers and reviewers can.",
};

/** Shown instead of a button if the role lacks the scope. */
export function PermissionNotice(props: { scope: Scope; what: string }) {
  const role = useProjectAccess()?.role ?? "viewer";
  return (
    <p className="rounded bg-sunken px-3 py-2 text-sm">
      As {ARTICLE[role]} you cannot {props.what}. {ALLOWED_ROLES[props.scope] ?? "Ask an admin."}
    </p>
  );
}

const ARTICLE: Record<Role, string> = {
  admin: "an admin",
  maintainer: "a maintainer",
  reviewer: "a reviewer",
  viewer: "a viewer",
};
