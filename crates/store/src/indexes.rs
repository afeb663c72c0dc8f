//! Indexes on tables in use, which are built without blocking writes.
//!
//! A migration is a transaction, in which Postgres refuses `create index concurrently`. So a migration has no index on a table
//! that exists already. It is in [`INDEXES`] instead, and is built after the migrations, partition by partition. An
//! interrupted build continues with the next `reflect migrate`.

use secrecy::{ExposeSecret, SecretString};

use crate::error::StoreError;
use crate::schema_session::SchemaSession;

/// An index on a table in use. The table has at most one level of partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConcurrentIndex {
    /// The name. That of a partition's index is the name of the partition and this one, cut to 63 bytes.
    pub name: &'static str,
    /// The table.
    pub table: &'static str,
    /// Whether two rows may not be equal. On a partitioned table, the columns must contain the partition key.
    pub unique: bool,
    /// What follows the name of the table, such as `(project_id, memory_id) where pinned`.
    pub definition: &'static str,
}

/// The indexes that migrations build at their end.
pub(crate) const INDEXES: &[ConcurrentIndex] = &[
    // Every few seconds, workers look for projects with a judge. Most projects have none.
    ConcurrentIndex {
        name: "project_judging",
        table: "project",
        unique: false,
        definition: "(project_id) where settings -> 'judge' ->> 'enabled' = 'true' and deleted_at is null \
                     and import_pack is null",
    },
    // What people did. Most actions are those of the server, one for each run that joins a lesson.
    ConcurrentIndex {
        name: "action_of_callers",
        table: "action",
        unique: false,
        definition: "(project_id, action_id) where actor <> 'server'",
    },
    // The situations of a lesson.
    ConcurrentIndex {
        name: "memory_stat_lesson",
        table: "memory_stat",
        unique: false,
        definition: "(project_id, lesson_id, memory_id) where lesson_id is not null",
    },
    // The situations that may speak for a lesson, in the order of the function `lesson_speaker`. Each candidate of a search may
    // need it, and erased and retired situations keep their lesson.
    ConcurrentIndex {
        name: "memory_stat_speaker",
        table: "memory_stat",
        unique: false,
        definition: "(project_id, lesson_id, (trust = 0), memory_id) where lesson_id is not null and status in (1, 4, 5)",
    },
    // Situations with the same advice as a new one. Absorbed ones are not compared.
    ConcurrentIndex {
        name: "memory_stat_advice",
        table: "memory_stat",
        unique: false,
        definition: "(project_id, advice, memory_id) where advice is not null and status = 1",
    },
    // What a memory absorbed, in order.
    ConcurrentIndex {
        name: "memory_stat_merged",
        table: "memory_stat",
        unique: false,
        definition: "(project_id, merged_into, memory_id) where merged_into is not null",
    },
    // What a review superseded.
    ConcurrentIndex {
        name: "memory_stat_superseded",
        table: "memory_stat",
        unique: false,
        definition: "(project_id, superseded_by) where superseded_by is not null",
    },
    // Every new memory asks whether one waits in quarantine, to corroborate it. Most projects have none.
    ConcurrentIndex {
        name: "memory_stat_quarantined",
        table: "memory_stat",
        unique: false,
        definition: "(project_id, memory_id) where status = 0",
    },
];

impl ConcurrentIndex {
    /// Builds the index unless it is complete, as the user of a URL, who must own the table.
    pub async fn build(&self, url: &SecretString) -> Result<(), StoreError> {
        let mut session = SchemaSession::open(url.expose_secret()).await?;
        self.build_in(&mut session).await
    }

    pub(crate) async fn build_in(&self, session: &mut SchemaSession) -> Result<(), StoreError> {
        loop {
            let step = sqlx::query_as(include_str!("../sql/maintenance/next_index_step.sql"))
                .bind(self.table)
                .bind(self.name)
                .bind(self.unique)
                .bind(self.definition);
            let step: Option<(String, bool)> = step.fetch_optional(&mut session.connection).await?;
            let Some((statement, is_concurrent)) = step else { return Ok(()) };
            tracing::info!("index {}: {statement}", self.name);
            match is_concurrent {
                true => session.run_concurrently(statement).await?,
                false => session.run_exclusively(&statement).await?,
            }
        }
    }
}
