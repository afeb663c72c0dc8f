//! Traces: recording, reading, listing and deleting runs, and runs that arrive in parts.

mod commit_batcher;
mod delete;
mod read;
mod record;
mod record_many;
mod repeated;
mod span_parts;
mod spans;
mod trace_list;

use std::sync::Arc;

use crate::db::ProjectDb;
pub(crate) use commit_batcher::CommitBatcher;
pub use read::{BodyError, TraceRow};
pub(crate) use read::{BodyFacts, StoredBody, open_body};
pub use record::{Body, InferLink, Linked, NewTraceRow, RecordedTrace};
pub(crate) use span_parts::part_row;
pub(crate) use spans::requeue as requeue_spans;
pub use spans::{ClosedRun, NewSpan, RunEnd, SpanPolicy, SpanRun, SpanSender, SpanStore, StagedSpans};
pub use trace_list::{TraceListFilter, TraceListPage, TraceListRow, TracePage};

/// The runs of a project.
#[derive(Debug, Clone, Copy)]
pub struct TraceStore<'a> {
    pub(crate) db: &'a ProjectDb,
    pub(crate) batcher: &'a Arc<CommitBatcher>,
}

impl<'a> TraceStore<'a> {
    /// Runs that arrive as OpenTelemetry spans and have not ended.
    pub const fn spans(self) -> SpanStore<'a> {
        SpanStore { db: self.db }
    }
}
