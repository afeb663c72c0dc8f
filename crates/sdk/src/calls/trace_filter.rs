//! Which traces a list contains.

use chrono::{DateTime, SecondsFormat, Utc};
use reflect_types::{IngestStatus, MemoryId, ReviewResult, ReviewStatus};

/// A filter for traces. All given fields must match.
///
/// ```
/// use reflect_sdk::{TraceFilter, types::ReviewStatus};
///
/// let filter = TraceFilter { review_status: Some(ReviewStatus::Pending), ..TraceFilter::default() };
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TraceFilter {
    /// A filter such as `status:pending model:gpt-5* refund`, at most 1000 characters. The server parses it. It can be
    /// combined with the other fields; all of them must match.
    pub q: Option<String>,
    /// Reviewed or not.
    pub review_status: Option<ReviewStatus>,
    /// The state of learning.
    pub ingest_status: Option<IngestStatus>,
    /// The result of the review.
    pub result: Option<ReviewResult>,
    /// The name of the model. A `*` at the end matches by prefix.
    pub model: Option<String>,
    /// Words of the task or the answer.
    pub text: Option<String>,
    /// Stored at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Stored before this time.
    pub until: Option<DateTime<Utc>>,
    /// Traces of runs that retrieved this memory.
    pub memory_id: Option<MemoryId>,
    /// Whether at least one step has an error.
    pub has_error: Option<bool>,
}

impl TraceFilter {
    pub(super) fn parameters(&self) -> Vec<(&'static str, Option<String>)> {
        let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Micros, true);
        vec![
            ("q", self.q.clone()),
            ("review_status", self.review_status.map(|status| status.to_string())),
            ("ingest_status", self.ingest_status.map(|status| status.to_string())),
            ("result", self.result.map(|result| result.to_string())),
            ("model", self.model.clone()),
            ("text", self.text.clone()),
            ("since", self.since.map(time)),
            ("until", self.until.map(time)),
            ("memory_id", self.memory_id.map(|id| id.to_string())),
            ("has_error", self.has_error.map(|failed| failed.to_string())),
        ]
    }
}
