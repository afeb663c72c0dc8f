//! Traces: recording, reading, listing and deleting runs.

mod body;
mod commit_batcher;
mod read;
mod record;
mod trace_list;

use std::sync::Arc;

use crate::db::ProjectDb;
pub use body::Body;
pub(crate) use commit_batcher::CommitBatcher;
pub use read::{BodyError, TraceRow};
pub(crate) use read::{BodyFacts, StoredBody, open_body};
pub use record::{InferLink, Linked, NewTraceRow, RecordedTrace};
pub use trace_list::{TraceListFilter, TraceListPage, TraceListRow, TracePage};

/// The runs of a project.
#[derive(Debug, Clone, Copy)]
pub struct TraceStore<'a> {
    pub(crate) db: &'a ProjectDb,
    pub(crate) batcher: &'a Arc<CommitBatcher>,
}
