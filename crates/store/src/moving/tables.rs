//! Which tables go along when a project moves, and which stay, with the reason.
//!
//! A table of projects that is in neither list fails a test: forgetting one would be losing it.

/// Every table whose rows move with their project.
pub const MOVED_TABLES: &[&str] = &[
    "trace",
    "trace_body",
    "trace_state",
    "review",
    "judgement",
    "queue_entry",
    "draft",
    "spending",
    "memory",
    "memory_stat",
    "memory_vector",
    "parked_vector",
    "utility_event",
    "memory_corroboration",
    "action",
    "memory_change",
    "memory_version",
    "version_vector",
    "skill",
    "retrieval",
    "space_change",
    "erasure",
    "idempotency",
    "client_report",
    "audit_entry",
];

/// Tables that name a project and stay, and why.
pub const LEFT_BEHIND: &[(&str, &str)] = &[
    ("project", "its one row is in the manifest"),
    ("api_key", "keys are secrets of an installation: new ones are made where the project goes"),
];
