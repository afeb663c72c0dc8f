// The permissions of an API key in plain text.
import type { Scope } from "../../api/types";

export const SCOPES: readonly { scope: Scope; label: string }[] = [
  { scope: "memory:read", label: "query memories, read settings and statistics" },
  { scope: "trace:read", label: "read runs" },
  { scope: "trace:write", label: "store runs, with their outcome" },
  { scope: "review:write", label: "review runs later" },
  { scope: "memory:write", label: "edit, disable, pin and merge memories" },
  { scope: "skill:write", label: "write skills" },
  { scope: "key:manage", label: "create and revoke keys" },
  { scope: "project:admin", label: "change settings, erase and delete" },
];

/** The scopes that an agent's program needs. */
export const DEFAULT_SCOPES: readonly Scope[] = ["memory:read", "trace:read", "trace:write", "review:write"];

/** The permissions that end when a key is revoked. */
export function revokedPermissions(scopes: readonly Scope[]): string[] {
  return SCOPES.filter(({ scope }) => scopes.includes(scope)).map(({ label: says }) => says);
}
