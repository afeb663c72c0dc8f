// What the member's role lets them do, and how it is said when it does not.
import { useSuspenseQuery } from "@tanstack/react-query";
import { sessionQuery } from "../api/queries";
import type { Role, Scope } from "../api/types";

/** Who is signed in. */
export function useMember() {
  return useSuspenseQuery(sessionQuery).data.member;
}

/** Whether the member has a scope in this project. */
export function useMay(scope: Scope): boolean {
  return useMember().scopes.includes(scope);
}

const WHO: Partial<Record<Scope, string>> = {
  "key:manage": "Admins do.",
  "project:admin": "Admins do.",
  "memory:write": "Admins and developers do.",
  "review:write": "Admins, developers and reviewers do.",
};

/** A sentence in place of a button that the role does not have. */
export function MayNot(props: { scope: Scope; what: string }) {
  const { role } = useMember();
  return (
    <p className="rounded bg-sunken px-3 py-2 text-sm">
      As {ARTICLE[role]} you do not {props.what}. {WHO[props.scope] ?? "Ask an admin."}
    </p>
  );
}

const ARTICLE: Record<Role, string> = {
  admin: "an admin",
  developer: "a developer",
  reviewer: "a reviewer",
  viewer: "a viewer",
};
