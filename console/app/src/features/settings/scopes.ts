// What a key may do, in words.
import type { Scope } from "../../api/types";

export const SCOPES: readonly { scope: Scope; says: string }[] = [
  { scope: "memory:read", says: "retrieve memories, read settings and numbers" },
  { scope: "trace:read", says: "read runs" },
  { scope: "trace:write", says: "store runs, with their outcome" },
  { scope: "review:write", says: "review runs later" },
  { scope: "memory:write", says: "edit, disable, pin and merge memories" },
  { scope: "skill:write", says: "write skills" },
  { scope: "key:manage", says: "make and revoke keys" },
  { scope: "project:admin", says: "change settings, erase and delete" },
];

/** What a program of an agent needs and no more. */
export const USUAL: readonly Scope[] = ["memory:read", "trace:read", "trace:write", "review:write"];

/** What stops when a key is revoked. */
export function whatStops(scopes: readonly Scope[]): string[] {
  return SCOPES.filter(({ scope }) => scopes.includes(scope)).map(({ says }) => says);
}
