// The permissions of an API key in plain text.
import type { Scope } from "../../api/types";
import { t } from "../../texts";

const NAMES: readonly Scope[] = [
  "memory:read",
  "trace:read",
  "trace:write",
  "review:write",
  "signal:write",
  "memory:write",
  "skill:write",
  "webhook:manage",
  "key:manage",
  "project:admin",
];

export const SCOPES = NAMES.map((scope) => ({
  scope,
  get label() {
    return t.settings.scopes[scope];
  },
}));

/** The scopes that an agent's program needs. */
export const DEFAULT_SCOPES: readonly Scope[] = ["memory:read", "trace:read", "trace:write", "review:write"];

/** The permissions that end when a key is revoked. */
export function revokedPermissions(scopes: readonly Scope[]): string[] {
  return SCOPES.filter(({ scope }) => scopes.includes(scope)).map(({ label: says }) => says);
}
