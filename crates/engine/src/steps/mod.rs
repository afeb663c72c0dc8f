//! A run as steps, for people to read: whatever form a framework wrote its messages in, one model.
//!
//! Nothing is dropped. What is recognised becomes a step's kind, tool, call or time; every field that is not
//! becomes a part of its own, as the JSON it is. Reading never fails: what cannot be understood is shown raw.

mod block;
mod cut;
mod facts;
mod fields;
mod memories;
mod message;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use reflect_store::StoreError;
use reflect_types::{ProjectId, TraceId};
use reflection_pipeline::trajectory::messages;

pub use cut::{INLINE, Shown, shown, slice};
pub(crate) use facts::total as total_tokens;

use crate::Engine;

/// From this size on a run is read on a thread where it is in nobody's way.
const READ_ELSEWHERE: usize = 256 * 1024;
const LONGEST_TITLE: usize = 120;

/// What a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// What the agent was told to be.
    System,
    /// What somebody asked.
    User,
    /// What the agent said.
    Assistant,
    /// What it thought.
    Reasoning,
    /// A tool that it called.
    ToolCall,
    /// What the tool gave.
    ToolResult,
    /// What went wrong.
    Error,
    /// Memories that it was shown.
    Memory,
    /// Anything else.
    Note,
}

/// What a part's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartForm {
    /// Text.
    Text,
    /// JSON as text.
    Json,
    /// A picture, a sound or a file.
    Media,
}

/// A piece of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What its text is.
    pub form: PartForm,
    /// What it is in the step; none for what the step says.
    pub label: Option<&'static str>,
    /// Of a picture, a sound or a file, when it is said.
    pub media_type: Option<String>,
    /// All of it.
    pub text: String,
}

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Which message it comes from.
    pub message: usize,
    /// What it is.
    pub kind: StepKind,
    /// A line to know it by.
    pub title: String,
    /// What it says, and what else was sent with it.
    pub parts: Vec<Part>,
    /// Links a call with its result.
    pub call_id: Option<String>,
    /// The tool that is called or answers.
    pub tool: Option<String>,
    /// Whether it went wrong.
    pub failed: bool,
    /// When it happened.
    pub at: Option<DateTime<Utc>>,
    /// How long it took.
    pub duration_ms: Option<f64>,
    /// How many tokens it took.
    pub tokens: Option<u64>,
}

impl Step {
    fn new(kind: StepKind) -> Self {
        Self {
            message: 0,
            kind,
            title: String::new(),
            parts: Vec::new(),
            call_id: None,
            tool: None,
            failed: kind == StepKind::Error,
            at: None,
            duration_ms: None,
            tokens: None,
        }
    }
}

/// Pure: the steps of a trajectory, given as its JSON text.
///
/// ```
/// use reflect_engine::steps::{StepKind, steps};
///
/// let run = steps(r#"[{"role": "user", "content": "How warm is it?"},
///                     {"role": "assistant", "tool_calls": [
///                       {"id": "c1", "function": {"name": "weather", "arguments": "{}"}}]},
///                     {"role": "tool", "tool_call_id": "c1", "content": "12 degrees"}]"#);
/// let kinds: Vec<StepKind> = run.iter().map(|step| step.kind).collect();
/// assert_eq!(kinds, [StepKind::User, StepKind::ToolCall, StepKind::ToolResult]);
/// assert_eq!(run[2].tool.as_deref(), Some("weather"));
/// ```
pub fn steps(trajectory: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for (index, message) in messages(trajectory).into_iter().enumerate() {
        let read = message::read(message).into_iter();
        steps.extend(read.flat_map(memories::apart).map(|step| Step { message: index, ..step }));
    }
    name_results(&mut steps);
    for step in &mut steps {
        step.title = title(step);
    }
    steps
}

/// How many steps of a trajectory went wrong.
pub fn count_errors(trajectory: &str) -> usize {
    steps(trajectory).iter().filter(|step| step.failed).count()
}

/// A result names its call; the call names the tool.
fn name_results(steps: &mut [Step]) {
    let mut names: HashMap<String, String> = HashMap::new();
    for step in steps {
        match (step.kind, &step.call_id, &step.tool) {
            (StepKind::ToolCall, Some(call), Some(tool)) => {
                names.insert(call.clone(), tool.clone());
            }
            (StepKind::ToolResult, Some(call), None) => step.tool = names.get(call).cloned(),
            _ => {}
        }
    }
}

fn title(step: &Step) -> String {
    if let Some(tool) = &step.tool {
        return clipped(tool);
    }
    let said = step.parts.iter().find(|part| part.label.is_none() && part.form == PartForm::Text);
    let line = said.and_then(|part| part.text.lines().map(str::trim).find(|line| !line.is_empty()));
    clipped(line.unwrap_or_default())
}

fn clipped(line: &str) -> String {
    line.chars().take(LONGEST_TITLE).collect()
}

impl Engine {
    /// The steps of a run.
    pub async fn steps(&self, project: ProjectId, trace: TraceId) -> Result<Vec<Step>, StoreError> {
        let trajectory = self.store.project(project).trace(trace).await?.trajectory;
        if trajectory.len() < READ_ELSEWHERE {
            return Ok(steps(&trajectory));
        }
        let read = tokio::task::spawn_blocking(move || steps(&trajectory)).await;
        Ok(read.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic())))
    }
}
