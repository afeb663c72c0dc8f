// Checks the member's permissions in the current project, and explains a missing one.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { sessionQuery } from "../api/queries";
import type { Scope } from "../api/types";
import { t } from "../texts";

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

/** Shown instead of a button if the role lacks the scope. `what` is an infinitive, for example `change lessons`. */
export function PermissionNotice(props: { scope: Scope; what: string }) {
  const role = useProjectAccess()?.role ?? "viewer";
  const { permission: texts } = t.shell;
  const allowed: Partial<Record<Scope, string>> = texts.allowed;
  return (
    <p className="rounded bg-sunken px-3 py-2 text-sm">
      {texts.missing[role](props.what)} {allowed[props.scope] ?? texts.askAdmin}
    </p>
  );
}
