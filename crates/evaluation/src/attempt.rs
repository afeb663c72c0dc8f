//! What is evaluated: a task, and one attempt at it.

use reflect_model::Usage;
use reflect_types::Trajectory;
use reflection_pipeline::trajectory;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What an agent was asked to do.
///
/// The known answer has no place in here: a task is shown to everybody. Give it to the evaluator.
///
/// ```
/// use reflect_evaluation::Task;
///
/// let task = Task::from("Count the orders").with_metadata("customer", 7);
/// assert_eq!(task.text, "Count the orders");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The task itself.
    pub text: String,
    /// What belongs to it and is stored with its traces. It is in no prompt.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Task {
    /// A task with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), metadata: Map::new() }
    }

    /// Adds what belongs to it.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }
}

impl From<&str> for Task {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Task {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// What an agent did about a task, once. A text is enough to make one.
///
/// ```
/// use reflect_evaluation::Attempt;
/// use serde_json::json;
///
/// let attempt = Attempt::from("It is 42.")
///     .with_trajectory(vec![json!({"role": "assistant", "content": "It is 42."})])
///     .with_cost(0.002);
/// assert_eq!(attempt.final_response, "It is 42.");
///
/// let stuck = Attempt::from("").failed("out of steps");
/// assert_eq!(stuck.error.as_deref(), Some("out of steps"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// What the agent answered in the end.
    pub final_response: String,
    /// The messages on the way there, as [`reflection_pipeline::trajectory`] reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trajectory: Vec<Value>,
    /// Why the task was given up, such as a limit of steps. Such an attempt has failed and nobody has to judge it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it cost, in tokens.
    #[serde(default)]
    pub usage: Usage,
    /// What it cost, in money, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// How often a model was asked. One unless told otherwise.
    #[serde(default = "one")]
    pub calls: u32,
}

const fn one() -> u32 {
    1
}

impl Default for Attempt {
    fn default() -> Self {
        Self {
            final_response: String::new(),
            trajectory: Vec::new(),
            error: None,
            usage: Usage::default(),
            cost: None,
            calls: one(),
        }
    }
}

impl Attempt {
    /// Adds the messages.
    #[must_use]
    pub fn with_trajectory(mut self, messages: Vec<Value>) -> Self {
        self.trajectory = messages;
        self
    }

    /// Adds what it cost, in tokens.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Adds what it cost, in money.
    #[must_use]
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Says how often a model was asked.
    #[must_use]
    pub fn with_calls(mut self, calls: u32) -> Self {
        self.calls = calls;
        self
    }

    /// The task was given up. That is a failed attempt, not a broken program.
    #[must_use]
    pub fn failed(mut self, why: impl Into<String>) -> Self {
        self.error = Some(why.into());
        self
    }
}

impl From<&str> for Attempt {
    fn from(final_response: &str) -> Self {
        Self::from(final_response.to_owned())
    }
}

impl From<String> for Attempt {
    fn from(final_response: String) -> Self {
        Self { final_response, ..Self::default() }
    }
}

impl From<&Trajectory> for Attempt {
    fn from(run: &Trajectory) -> Self {
        let final_response = run.final_response().unwrap_or_default();
        Self::from(final_response).with_trajectory(trajectory::messages(run.json()))
    }
}
