//! The input of an evaluation: a task, and one attempt at it.

use reflect_model::Usage;
use reflect_trajectory::SentTrajectory;
use reflection_pipeline::trajectory;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The task of an agent.
///
/// It must not contain the expected answer, because prompts contain the task. Pass the expected answer to the evaluator.
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
    /// Additional data that is stored with its traces. Prompts do not contain it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Task {
    /// A task with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), metadata: Map::new() }
    }

    /// Adds one metadata entry.
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

/// One attempt of an agent at a task. It can be created from a text.
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
    /// The final answer of the agent.
    pub final_response: String,
    /// The messages of the attempt, as [`reflection_pipeline::trajectory`] reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trajectory: Vec<Value>,
    /// Why the agent gave up, such as a step limit. Such an attempt fails without an evaluation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The token usage.
    #[serde(default)]
    pub usage: Usage,
    /// The cost in money, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The number of model calls. Default: 1.
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

    /// Sets the token usage.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Sets the cost in money.
    #[must_use]
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Sets the number of model calls.
    #[must_use]
    pub fn with_calls(mut self, calls: u32) -> Self {
        self.calls = calls;
        self
    }

    /// Marks the attempt as failed, because the agent gave up. For errors of the program, return an error instead.
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

impl From<&SentTrajectory> for Attempt {
    fn from(run: &SentTrajectory) -> Self {
        let final_response = run.final_response().unwrap_or_default();
        Self::from(final_response).with_trajectory(trajectory::messages(run.json()))
    }
}
