//! Steps that a client marked in its messages, so that each of them can become a lesson of its own.

use memchr::memmem;
use serde_json::Value;

use crate::fields::{take_object, take_text};
use crate::message::{messages, unwrapped};

/// The field of a message that marks a step.
const MARK: &str = "reflect_step";
const MOST_STEPS: usize = 50;

/// A state of the run and what the agent did in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedStep {
    /// The state, as it was sent to the memory query.
    pub task: String,
    /// What was done. Empty for the last state of a run that failed.
    pub action: String,
    /// The receipt of the query, if the client names it.
    pub retrieval_id: Option<String>,
}

/// The marked steps of a run, in order, at most 50. A mark without a task is ignored.
///
/// ```
/// use reflect_trajectory::marked_steps;
///
/// let run = r#"[{"role": "assistant", "content": "I restart it.",
///                "reflect_step": {"task": "The phone has no signal.", "action": "restart the phone"}}]"#;
/// assert_eq!(marked_steps(run)[0].action, "restart the phone");
/// ```
pub fn marked_steps(trajectory: &str) -> Vec<MarkedStep> {
    // Most runs have no marks. They are not parsed.
    if memmem::find(trajectory.as_bytes(), MARK.as_bytes()).is_none() {
        return Vec::new();
    }
    messages(trajectory).into_iter().filter_map(marked).take(MOST_STEPS).collect()
}

fn marked(message: Value) -> Option<MarkedStep> {
    let Value::Object(message) = message else { return None };
    let mut mark = take_object(&mut unwrapped(message), &[MARK])?;
    let task = take_text(&mut mark, &["task"]).filter(|task| !task.trim().is_empty())?;
    let action = take_text(&mut mark, &["action"]).unwrap_or_default();
    let retrieval_id = take_text(&mut mark, &["retrieval_id"]);
    Some(MarkedStep { task, action, retrieval_id })
}
