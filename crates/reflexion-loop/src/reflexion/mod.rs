//! The learner: components and options, ready to run tasks.

mod builder;

use std::fmt;
use std::sync::Arc;

use reflect_evaluation::Task;
use uuid::Uuid;

use crate::cancel::CancelToken;
use crate::driver::{Components, Driver};
use crate::options::Options;
use crate::outcome::{Outcome, RunError};
use crate::run::RunHandle;
use crate::state::RunState;

pub use builder::ReflexionBuilder;

/// Tries, evaluates, reflects and tries again. One learner can run many tasks, also in parallel.
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
///         // An agent that succeeds if the prompt contains the note.
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
    components: Arc<Components>,
}

impl Reflexion {
    /// Returns a builder without components and with default options.
    pub fn builder() -> ReflexionBuilder {
        ReflexionBuilder::default()
    }

    pub(crate) fn of(components: Components) -> Self {
        Self { components: Arc::new(components) }
    }

    /// The options of its runs.
    pub fn options(&self) -> &Options {
        &self.components.config.options
    }

    /// Prepares a run with a new id. The run makes progress while the caller reads its events or awaits its outcome.
    pub fn start(&self, task: impl Into<Task>) -> RunHandle {
        self.start_as(Uuid::now_v7().to_string(), task)
    }

    /// Prepares a run with an id from the caller. The id must be unique.
    pub fn start_as(&self, run_id: impl Into<String>, task: impl Into<Task>) -> RunHandle {
        self.run_from(RunState::new(run_id, task, self.options()), false)
    }

    /// Runs a task to its end.
    pub async fn run(&self, task: impl Into<Task>) -> Result<Outcome, RunError> {
        self.start(task).outcome().await
    }

    /// Continues a run from a saved state. Completed steps are not repeated; the interrupted step can be.
    ///
    /// A cancelled run and a run that reached its budget continue too. A completed run returns its outcome. The options
    /// can differ from before, for instance with a larger budget. The components should not: a run whose next step is a
    /// reflection or a record needs the reflector or the long-term memory.
    pub fn resume(&self, state: RunState) -> RunHandle {
        self.run_from(state, true)
    }

    fn run_from(&self, state: RunState, resumed: bool) -> RunHandle {
        let cancel = CancelToken::new();
        let (driver, events) = Driver::new(Arc::clone(&self.components), state, resumed, cancel.clone());
        RunHandle::new(driver, events, cancel)
    }
}

impl fmt::Debug for Reflexion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Reflexion");
        shown
            .field("actor", &self.components.actor.name())
            .field("evaluator", &self.components.evaluator.name());
        shown.field("options", self.options()).finish_non_exhaustive()
    }
}
