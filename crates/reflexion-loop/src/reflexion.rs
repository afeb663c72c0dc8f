//! The learner: who takes part and how, ready to run any number of tasks.

use std::fmt;
use std::sync::Arc;

use reflect_evaluation::Task;
use uuid::Uuid;

use crate::driver::{Driver, Parts};
use crate::{CancelToken, Options, Outcome, ReflexionBuilder, Run, RunError, RunState};

/// Tries, evaluates, reflects and tries again. One learner can run any number of tasks, also at the same time.
///
/// ```
/// use std::convert::Infallible;
///
/// use reflexion_loop::{LlmReflector, Reflexion, Stop, TrialContext, actor_fn, check_fn, model_fn};
///
/// # extern crate tokio_lean as tokio;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let learner = Reflexion::builder()
///     .actor(actor_fn(|cx: TrialContext| async move {
///         // An agent that gets it right once it is told.
///         if cx.prompt().contains("both ends") { "from May 1 to June 1" } else { "from May 1" }
///     }))
///     .evaluator(check_fn(|answer: &str| answer.contains("June")))
///     .reflector(LlmReflector::new(model_fn("writer", |_prompt| async {
///         Ok::<_, Infallible>(r#"{"summary": "A period needs both ends."}"#.to_owned())
///     })))
///     .build()?;
///
/// let outcome = learner.run("Give the period of last month").await?;
/// assert_eq!(outcome.stop, Stop::Passed);
/// assert_eq!(outcome.answer(), Some("from May 1 to June 1"));
/// assert_eq!(outcome.state.trials.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Reflexion {
    parts: Arc<Parts>,
}

impl Reflexion {
    /// Begins to put one together.
    pub fn builder() -> ReflexionBuilder {
        ReflexionBuilder::default()
    }

    pub(crate) fn of(parts: Parts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// How its runs go.
    pub fn options(&self) -> &Options {
        &self.parts.options
    }

    /// Prepares a run under an id of its own. It goes on while its events are read or its outcome is awaited.
    pub fn start(&self, task: impl Into<Task>) -> Run {
        self.start_as(Uuid::now_v7().to_string(), task)
    }

    /// The same under an id of the caller's. Two runs must not have the same one.
    pub fn start_as(&self, run_id: impl Into<String>, task: impl Into<Task>) -> Run {
        self.go(RunState::new(run_id, task, &self.parts.options), false)
    }

    /// Runs a task to its end.
    pub async fn run(&self, task: impl Into<Task>) -> Result<Outcome, RunError> {
        self.start(task).outcome().await
    }

    /// Goes on with a run where it stood. What was done is not done again; the step under way may be.
    ///
    /// A run that was cancelled or ran out of its budget goes on as well; one that came to its end gives its outcome. Options
    /// may have changed since, a larger budget for instance. Who takes part should not: a run that is about to reflect or
    /// to record needs somebody to do it with.
    pub fn resume(&self, state: RunState) -> Run {
        self.go(state, true)
    }

    fn go(&self, state: RunState, resumed: bool) -> Run {
        let cancel = CancelToken::new();
        let (driver, events) = Driver::new(Arc::clone(&self.parts), state, resumed, cancel.clone());
        Run::new(driver, events, cancel)
    }
}

impl fmt::Debug for Reflexion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Reflexion");
        shown.field("actor", &self.parts.actor.name()).field("evaluator", &self.parts.evaluator.name());
        shown.field("options", &self.parts.options).finish_non_exhaustive()
    }
}
