//! What a request brings, and what became of it.

use reflect_store::OtlpId;
use reflect_trajectory::otel::{OtelEvent, OtelSpan};

/// What one request brings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Telemetry {
    /// Spans, with the runs they belong to.
    pub spans: Vec<(OtlpId, OtelSpan)>,
    /// Log records, with the runs they belong to if they name one.
    pub events: Vec<(Option<OtlpId>, OtelEvent)>,
    /// About what all of it takes in memory, in bytes.
    pub bytes: usize,
}

/// What became of spans, log records and results of evaluations. Each is counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpanReceipt {
    /// They are kept until their run has ended.
    pub staged: u64,
    /// They had arrived before.
    pub repeated: u64,
    /// They follow none of the conventions for agents.
    pub unrelated: u64,
    /// Their run is not in the sample of the project.
    pub sampled_out: u64,
    /// Their run has ended without them.
    pub late: u64,
    /// Their run is too large.
    pub dropped: u64,
    /// They have no valid id, or personal data that the project does not accept.
    pub refused: u64,
    /// They would open a run, but too many runs of the project wait. They have to be sent again.
    pub deferred: u64,
    /// Results of evaluations that became signals.
    pub evaluated: u64,
    /// Results of evaluations that cannot be signals.
    pub not_evaluated: u64,
    /// Results of evaluations beyond those that one request may bring.
    pub surplus: u64,
    /// Results of evaluations from a key that may not send signals.
    pub not_permitted: u64,
}

impl SpanReceipt {
    /// How many will never be part of a run, although they should.
    pub const fn rejected(&self) -> u64 {
        self.late + self.dropped + self.refused
    }

    /// How many results of evaluations were not taken.
    pub const fn rejected_evaluations(&self) -> u64 {
        self.not_evaluated + self.surplus + self.not_permitted
    }

    /// Counts all of it in the metrics.
    pub(super) fn count(&self) {
        for (result, count) in [
            ("staged", self.staged),
            ("repeated", self.repeated),
            ("unrelated", self.unrelated),
            ("sampled_out", self.sampled_out),
            ("late", self.late),
            ("dropped", self.dropped),
            ("refused", self.refused),
            ("deferred", self.deferred),
            ("evaluated", self.evaluated),
            ("not_evaluated", self.not_evaluated + self.surplus),
            ("not_permitted", self.not_permitted),
        ] {
            if count > 0 {
                metrics::counter!("reflect_otlp_records_total", "result" => result).increment(count);
            }
        }
    }
}
