//! The outcome of a run, and the error of a failed run.

use std::error::Error;
use std::fmt;

use crate::state::{RunState, Stop, Trial};

/// The outcome of a run. A run without a passed trial has an outcome and is not an error.
///
/// ```
/// use reflexion_loop::{Reflexion, Stop, actor_fn, check_fn};
///
/// # extern crate tokio_lean as tokio;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let learner = Reflexion::builder()
///     .actor(actor_fn(|_| async { "41" }))
///     .evaluator(check_fn(|answer: &str| answer == "42"))
///     .max_trials(1)
///     .build()?;
///
/// let outcome = learner.run("What is six times seven?").await?;
/// assert_eq!(outcome.stop, Stop::MaxTrials);
/// assert!(!outcome.is_success());
/// assert_eq!(outcome.answer(), Some("41"), "the best there was");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Why the run ended.
    pub stop: Stop,
    /// The best trial: by verdict, then by score, then the latest. None if none was judged.
    pub best: Option<Trial>,
    /// The final state: all trials, notes and the cost.
    pub state: RunState,
}

impl Outcome {
    /// The answer of the best trial.
    pub fn answer(&self) -> Option<&str> {
        self.best.as_ref().map(|trial| trial.attempt.final_response.as_str())
    }

    /// Whether a trial passed.
    pub fn is_success(&self) -> bool {
        self.stop.is_success()
    }
}

/// The component that failed.
///
/// See [`RunError`] for an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The actor.
    Actor,
    /// The evaluator.
    Evaluator,
    /// The reflector.
    Reflector,
    /// A hook.
    Hook,
    /// The long-term memory.
    Memory,
    /// The checkpoint.
    Checkpoint,
    /// The state is inconsistent, for instance because it was edited.
    State,
}

impl ErrorKind {
    const fn words(self) -> &'static str {
        match self {
            Self::Actor => "the actor did not work",
            Self::Evaluator => "the evaluation failed",
            Self::Reflector => "the reflection failed",
            Self::Hook => "a hook failed",
            Self::Memory => "the long-term memory did not answer",
            Self::Checkpoint => "the state could not be saved",
            Self::State => "the state is damaged",
        }
    }
}

/// A failed run. [`partial`](Self::partial) is the state before the failure, from which the run can
/// [resume](crate::Reflexion::resume).
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// use reflexion_loop::{ErrorKind, Reflexion, actor_fn, check_fn};
///
/// # extern crate tokio_lean as tokio;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let broken = AtomicBool::new(true);
/// let learner = Reflexion::builder()
///     .actor(actor_fn(move |_| {
///         let works = !broken.swap(false, Ordering::SeqCst);
///         async move { if works { Ok("42") } else { Err("no network") } }
///     }))
///     .evaluator(check_fn(|answer: &str| answer == "42"))
///     .max_trials(1)
///     .build()?;
///
/// let error = learner.run("What is six times seven?").await.unwrap_err();
/// assert_eq!(error.kind, ErrorKind::Actor);
/// assert!(learner.resume(*error.partial).outcome().await?.is_success());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RunError {
    /// The component that failed.
    pub kind: ErrorKind,
    /// The trial. 0 before the first.
    pub trial: u32,
    /// The cause.
    pub source: Box<dyn Error + Send + Sync>,
    /// The state of the run.
    pub partial: Box<RunState>,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, trial, done) = (self.kind.words(), self.trial, self.partial.trials.len());
        write!(f, "{words} in trial {trial}; the state with {done} ended trials is kept and can resume")
    }
}

impl Error for RunError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.source.as_ref())
    }
}
