// Checks the member's permissions, and explains a missing one.
import { useSuspenseQuery } from "@tanstack/react-query";
import { sessionQuery } from "../api/queries";
import type { Role, Scope } from "../api/types";

/** The signed-in member. */
export function useMember() {
  return useSuspenseQuery(sessionQuery).data.member;
}

/** Whether the member has a scope in this project. */
export function usePermission(scope: Scope): boolean {
  return useMember().scopes.includes(scope);
}

const ALLOWED_ROLES: Partial<Record<Scope, string>> = {
  "key:manage": "Admins can.",
  "project:admin": "Admins can.",
  "memory:write": "Admins and developers can.",
  "review:write": "Admins, developers and reviewers can.",
};

/** Shown instead of a button if the role lacks the scope. */
export function PermissionNotice(props: { scope: Scope; what: string }) {
  const { role } = useMember();
  return (
    <p className="rounded bg-sunken px-3 py-2 text-sm">
      As {ARTICLE[role]} you cannot {props.what}. {ALLOWED_ROLES[props.scope] ?? "Ask an admin."}
    </p>
  );
}

const ARTICLE: Record<Role, string> = {
  admin: "an admin",
  developer: "a developer",
  reviewer: "a reviewer",
  viewer: "a viewer",
};
