//! The result of an evaluation: a verdict about a run from another program.

use super::attributes::{owned, value};
use super::span::OtelEvent;

/// The name of the event.
const EVENT: &str = "gen_ai.evaluation.result";

/// The result of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationResult {
    /// What was measured, such as `relevance`.
    pub name: String,
    /// The score, if there is one.
    pub score: Option<f64>,
    /// The verdict in one word, such as `pass`.
    pub label: Option<String>,
    /// Why.
    pub explanation: Option<String>,
    /// The conversation that was evaluated.
    pub conversation: Option<String>,
    /// When, in nanoseconds since 1970.
    pub at: u64,
}

/// Reads an event. `None` if it is not an evaluation, or if the evaluation failed. One without a score and a label has no verdict.
///
/// ```
/// use reflect_trajectory::otel::{OtelEvent, read_evaluation};
///
/// let mut event = OtelEvent { name: "gen_ai.evaluation.result".into(), ..OtelEvent::default() };
/// event.attributes.insert("gen_ai.evaluation.name".into(), "correctness".into());
/// event.attributes.insert("gen_ai.evaluation.score.label".into(), "pass".into());
/// assert_eq!(read_evaluation(&event).unwrap().label.as_deref(), Some("pass"));
/// ```
pub fn read_evaluation(event: &OtelEvent) -> Option<EvaluationResult> {
    if event.name != EVENT || event.attributes.contains_key("error.type") {
        return None;
    }
    let attributes = &event.attributes;
    let score = value(attributes, &["gen_ai.evaluation.score.value"]);
    let score = score.and_then(serde_json::Value::as_f64).filter(|score| score.is_finite());
    let label = owned(attributes, &["gen_ai.evaluation.score.label"]);
    Some(EvaluationResult {
        name: owned(attributes, &["gen_ai.evaluation.name"]).unwrap_or_default(),
        score,
        label,
        explanation: owned(attributes, &["gen_ai.evaluation.explanation"]),
        conversation: owned(attributes, &["gen_ai.conversation.id"]),
        at: event.at,
    })
}
