//! A run for tests.

use reflect_store::LearnInput;
use reflect_types::{KeyId, ReviewId, ReviewResult, ReviewerKind, TraceId, Trust};
use serde_json::json;

/// A reviewed run without messages.
pub(crate) fn input(result: ReviewResult, feedback: Option<&str>) -> LearnInput {
    LearnInput {
        review_id: ReviewId::generate(),
        trace_id: TraceId::generate(),
        task: "refund the order".to_owned(),
        trajectory: "[]".to_owned(),
        final_response: None,
        metadata: json!({}),
        reference_context: None,
        key_id: KeyId::generate(),
        trust: Trust::Normal,
        result,
        feedback: feedback.map(str::to_owned),
        by: ReviewerKind::Person,
        authored: None,
        attempt: 1,
        failures: 0,
        draft: None,
        relations: None,
        linked: Vec::new(),
        used: None,
        shown: Vec::new(),
    }
}
