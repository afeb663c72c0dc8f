//! The table registry: one entry for each table says who may write it, how long rows are kept, whether rows move with
//! their project, and how they are purged.
//!
//! Grants, retention, moves and purges read this list. A test compares it with the migrated database, so a new table
//! without an entry fails.

use reflect_types::RetentionSettings;

/// One table of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Whose rows it holds.
    pub tenant: Tenant,
    /// What the server's role may do with it.
    pub grant: Grant,
    /// How long rows are kept.
    pub(crate) retention: Retention,
}

/// Whose rows a table holds, and what becomes of them when a project moves or is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tenant {
    /// Rows of projects, by `project_id`.
    Project {
        /// Whether rows move with their project.
        moves: Moves,
        /// What happens to rows of a deleted project.
        purge: Purge,
    },
    /// Rows of the installation.
    Installation,
}

/// Whether rows move with their project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moves {
    /// They move.
    WithProject,
    /// They stay, for this reason.
    Stay(&'static str),
}

/// What happens to the rows of a deleted project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purge {
    /// This statement removes a batch of them. It is repeated until none is left.
    Batches(&'static str),
    /// They are removed at the end, when all other rows are gone.
    Last,
    /// They are kept, for this reason.
    Keep(&'static str),
}

/// What the server's role may do with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Select, insert, update, delete.
    Write,
    /// Select and insert. Rows cannot be changed.
    Append,
    /// Select.
    Read,
}

/// How long rows are kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Retention {
    /// Until something else removes them.
    Unlimited,
    /// For the number of days that the project sets. The statement removes a batch of older rows.
    Days(fn(&RetentionSettings) -> Option<u32>, &'static str),
    /// Until they are not needed any more. The statement removes a batch of such rows.
    Swept(&'static str),
}

macro_rules! purge {
    ($table:literal) => {
        Purge::Batches(include_str!(concat!("../sql/projects/purge_", $table, ".sql")))
    };
}

/// A table whose rows belong to a project, move with it and are purged with it.
macro_rules! project_table {
    ($name:literal) => {
        project_table!($name, Retention::Unlimited)
    };
    ($name:literal, $retention:expr) => {
        Table {
            name: $name,
            tenant: Tenant::Project { moves: Moves::WithProject, purge: purge!($name) },
            grant: Grant::Write,
            retention: $retention,
        }
    };
}

const fn installation_table(name: &'static str, grant: Grant) -> Table {
    Table { name, tenant: Tenant::Installation, grant, retention: Retention::Unlimited }
}

/// Every table. Project tables are in the order in which they move; purges run in the reverse order.
pub const TABLES: &[Table] = &[
    project_table!(
        "trace",
        Retention::Days(|days| days.traces_days, include_str!("../sql/retention/traces.sql"))
    ),
    project_table!(
        "trace_body",
        Retention::Days(|days| days.bodies_days, include_str!("../sql/retention/bodies.sql"))
    ),
    project_table!("trace_state"),
    project_table!("review", Retention::Swept(include_str!("../sql/reviews/sweep_feedback.sql"))),
    project_table!("judgement", Retention::Swept(include_str!("../sql/judgements/sweep.sql"))),
    project_table!("trace_key"),
    project_table!("signal", Retention::Swept(include_str!("../sql/signals/sweep.sql"))),
    project_table!(
        "signal_match",
        Retention::Days(|days| days.traces_days, include_str!("../sql/retention/signals.sql"))
    ),
    project_table!("signal_wait"),
    project_table!("queue_entry", Retention::Swept(include_str!("../sql/review_queue/sweep.sql"))),
    project_table!("draft"),
    project_table!("spending"),
    project_table!("memory"),
    project_table!("memory_stat"),
    project_table!("memory_vector"),
    Table {
        name: "graph_vector",
        tenant: Tenant::Project {
            moves: Moves::Stay("copies of vectors: a graph is built where the project goes"),
            purge: purge!("graph_vector"),
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    project_table!("parked_vector"),
    project_table!("utility_event"),
    project_table!("memory_corroboration"),
    project_table!("memory_import"),
    project_table!("action"),
    project_table!("memory_change"),
    project_table!("memory_version"),
    project_table!("version_vector"),
    project_table!("lesson_question"),
    project_table!("learning_stat"),
    project_table!("skill"),
    project_table!(
        "retrieval",
        Retention::Days(|days| days.retrievals_days, include_str!("../sql/retention/retrievals.sql"))
    ),
    project_table!("space_change"),
    project_table!("erasure"),
    project_table!("idempotency", Retention::Swept(include_str!("../sql/idempotency/expire.sql"))),
    project_table!("client_report"),
    Table {
        name: "otlp_run",
        tenant: Tenant::Project {
            moves: Moves::Stay("runs that have not ended: their spans are sent again, or to the other place"),
            purge: purge!("otlp_run"),
        },
        grant: Grant::Write,
        retention: Retention::Swept(include_str!("../sql/spans/sweep.sql")),
    },
    Table {
        name: "otlp_part",
        tenant: Tenant::Project {
            moves: Moves::Stay("spans of runs that have not ended, which become runs where they are"),
            purge: purge!("otlp_part"),
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "webhook_endpoint",
        tenant: Tenant::Project {
            moves: Moves::Stay(
                "endpoints have secrets, and receive events of one installation: new ones are made where the project goes",
            ),
            purge: purge!("webhook_endpoint"),
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "webhook_delivery",
        tenant: Tenant::Project {
            moves: Moves::Stay("the delivery log belongs to endpoints, which do not move"),
            purge: purge!("webhook_delivery"),
        },
        grant: Grant::Write,
        retention: Retention::Swept(include_str!("../sql/webhooks/sweep_deliveries.sql")),
    },
    Table {
        name: "webhook_event",
        tenant: Tenant::Project {
            moves: Moves::Stay("events were sent to endpoints, which do not move"),
            purge: purge!("webhook_event"),
        },
        grant: Grant::Write,
        retention: Retention::Swept(include_str!("../sql/webhooks/sweep_events.sql")),
    },
    Table {
        name: "webhook_queue",
        tenant: Tenant::Project {
            moves: Moves::Stay("says when endpoints are due, and these do not move"),
            purge: purge!("webhook_queue"),
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "announced_state",
        tenant: Tenant::Project {
            moves: Moves::Stay("what endpoints were told last, and these do not move"),
            purge: purge!("announced_state"),
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "fold_checkpoint",
        tenant: Tenant::Project {
            moves: Moves::Stay("derived from the ledger: computed again where the project goes"),
            purge: purge!("fold_checkpoint"),
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "retention_cursor",
        tenant: Tenant::Project {
            moves: Moves::Stay(
                "progress of maintenance in one database: it starts again where the project goes",
            ),
            purge: purge!("retention_cursor"),
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "job",
        tenant: Tenant::Project {
            moves: Moves::Stay("jobs are queued again where the project goes"),
            purge: purge!("job"),
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "audit_entry",
        tenant: Tenant::Project {
            moves: Moves::WithProject,
            purge: Purge::Keep("the audit log outlives the project"),
        },
        grant: Grant::Append,
        retention: Retention::Unlimited,
    },
    Table {
        name: "project",
        tenant: Tenant::Project { moves: Moves::Stay("its one row is in the manifest"), purge: Purge::Last },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "api_key",
        tenant: Tenant::Project {
            moves: Moves::Stay(
                "keys are secrets of an installation: new ones are made where the project goes",
            ),
            purge: Purge::Last,
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "project_member",
        tenant: Tenant::Project {
            moves: Moves::Stay("members belong to an installation: roles are given where the project goes"),
            purge: Purge::Last,
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "project_data_key",
        tenant: Tenant::Project {
            moves: Moves::Stay(
                "a pack contains plain text: values are encrypted again with the key of the place where the project goes",
            ),
            purge: Purge::Last,
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    Table {
        name: "vector_graph",
        tenant: Tenant::Project {
            moves: Moves::Stay("a graph is built where the project goes, if the project is large enough"),
            purge: Purge::Keep("the work on graphs removes it together with its partition"),
        },
        grant: Grant::Write,
        retention: Retention::Unlimited,
    },
    // Ids, hashes and signatures of the audit log. A project's chain does not move: it starts again where the project goes.
    installation_table("audit_unchained", Grant::Write),
    installation_table("audit_chain", Grant::Write),
    installation_table("audit_link", Grant::Append),
    installation_table("audit_head", Grant::Append),
    installation_table("job_worker", Grant::Write),
    installation_table("maintenance_step", Grant::Write),
    installation_table("bootstrap", Grant::Write),
    installation_table("embedding_space", Grant::Write),
    installation_table("member", Grant::Write),
    installation_table("member_identity", Grant::Write),
    installation_table("sign_in_link", Grant::Write),
    installation_table("session", Grant::Write),
    installation_table("installation", Grant::Read),
    installation_table("feedback_secret", Grant::Read),
    installation_table("partition_plan", Grant::Read),
    installation_table("time_partition", Grant::Read),
];

const fn moves(table: &Table) -> Option<Moves> {
    match table.tenant {
        Tenant::Project { moves, .. } => Some(moves),
        Tenant::Installation => None,
    }
}

const fn count(moving: bool) -> usize {
    let (mut found, mut at) = (0, 0);
    while at < TABLES.len() {
        match moves(&TABLES[at]) {
            Some(Moves::WithProject) if moving => found += 1,
            Some(Moves::Stay(_)) if !moving => found += 1,
            _ => {}
        }
        at += 1;
    }
    found
}

const MOVED: [&str; count(true)] = {
    let mut names = [""; count(true)];
    let (mut found, mut at) = (0, 0);
    while at < TABLES.len() {
        if let Some(Moves::WithProject) = moves(&TABLES[at]) {
            names[found] = TABLES[at].name;
            found += 1;
        }
        at += 1;
    }
    names
};

const STAYING: [(&str, &str); count(false)] = {
    let mut names = [("", ""); count(false)];
    let (mut found, mut at) = (0, 0);
    while at < TABLES.len() {
        if let Some(Moves::Stay(reason)) = moves(&TABLES[at]) {
            names[found] = (TABLES[at].name, reason);
            found += 1;
        }
        at += 1;
    }
    names
};

/// Every table whose rows move with their project.
pub const MOVED_TABLES: &[&str] = &MOVED;

/// Tables with rows of projects that do not move, and why.
pub const LEFT_BEHIND: &[(&str, &str)] = &STAYING;

/// The statements that remove the rows of a deleted project.
pub(crate) fn purge_statements() -> impl Iterator<Item = &'static str> {
    TABLES.iter().rev().filter_map(|table| match table.tenant {
        Tenant::Project { purge: Purge::Batches(statement), .. } => Some(statement),
        _ => None,
    })
}

/// The statements that remove rows that are not needed any more.
pub(crate) fn sweep_statements() -> impl Iterator<Item = &'static str> {
    TABLES.iter().filter_map(|table| match table.retention {
        Retention::Swept(statement) => Some(statement),
        _ => None,
    })
}

/// The statements that remove rows older than a number of days, for the limits that the project sets.
pub(crate) fn expired_statements(settings: &RetentionSettings) -> impl Iterator<Item = (u32, &'static str)> {
    TABLES.iter().filter_map(|table| match table.retention {
        Retention::Days(days, statement) => Some((days(settings)?, statement)),
        _ => None,
    })
}

/// The names of the tables with a grant, separated by commas.
pub(crate) fn granted(grant: Grant) -> String {
    let names: Vec<&str> =
        TABLES.iter().filter(|table| table.grant == grant).map(|table| table.name).collect();
    names.join(", ")
}
