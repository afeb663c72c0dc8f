export const scopes = {
  "memory:read": "Read lessons, settings and statistics",
  "trace:read": "Read runs",
  "trace:write": "Store runs and their results",
  "review:write": "Review stored runs",
  "signal:write": "Report outcomes of runs",
  "memory:write": "Edit, disable, pin and merge lessons",
  "skill:write": "Write skills",
  "webhook:manage": "Create, change and test webhooks",
  "key:manage": "Create and revoke keys",
  "project:admin": "Change settings and delete data",
};
