export const audit = {
  title: "Audit log",
  about: "Who did what, and what was denied",
  read: "read the audit log",
  installation: "Show the log of the installation",
  installationHint:
    "Sign-ins, members, projects, keys for all projects, and denied requests from unknown callers.",
  none: "No entries yet.",
  newestFirst: "Entries, newest first",
  columns: { time: "Time", action: "Action", target: "Target", actor: "By", address: "IP address" },
  details: "Details",
  showOlder: "Show older entries",
};
