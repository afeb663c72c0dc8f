//! The actor: an agent behind a function or a trait.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reflect_evaluation::{Attempt, Task};
use reflect_model::{ModelError, Remedy, Usage};
use serde_json::Value;

use crate::cancel::CancelToken;
use crate::emitter::Emitter;
use crate::event::Event;
use crate::long_term::RecalledMemory;
use crate::notes::Note;
use crate::state::prompt::Composed;

/// The agent that does the task.
///
/// ```
/// use async_trait::async_trait;
/// use reflexion_loop::{Actor, ActorError, Attempt, TrialContext};
///
/// struct Echo;
///
/// #[async_trait]
/// impl Actor for Echo {
///     async fn attempt(&self, cx: TrialContext) -> Result<Attempt, ActorError> {
///         Ok(Attempt::from(cx.prompt()))
///     }
/// }
/// ```
#[async_trait]
pub trait Actor: Send + Sync {
    /// Its name, for traces.
    fn name(&self) -> &str {
        "actor"
    }

    /// One attempt. An agent that gives up returns [`Attempt::failed`]. An error means that the agent did not work.
    async fn attempt(&self, cx: TrialContext) -> Result<Attempt, ActorError>;
}

#[async_trait]
impl<A: Actor + ?Sized> Actor for Arc<A> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn attempt(&self, cx: TrialContext) -> Result<Attempt, ActorError> {
        (**self).attempt(cx).await
    }
}

/// The agent did not work, for instance because of the network, the key or a bug. The task is not judged.
///
/// See [`ActorError::new`] for an example.
#[derive(Debug, thiserror::Error)]
#[error("the actor did not work")]
pub struct ActorError {
    /// Whether a retry can help.
    pub remedy: Remedy,
    /// The usage of the failed attempt.
    pub usage: Usage,
    /// The cause.
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

impl ActorError {
    /// Wraps an error. A [`ModelError`] or an `ActorError` keeps its remedy; any other error is not retried.
    ///
    /// ```
    /// use reflect_model::{ModelError, Remedy};
    /// use reflexion_loop::ActorError;
    ///
    /// assert_eq!(ActorError::new("no key").remedy, Remedy::DoNotRetry);
    /// let busy = ActorError::new(ModelError::retry_later("busy", None));
    /// assert_eq!(busy.remedy, Remedy::RetryLater { after: None });
    /// ```
    pub fn new(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        match source.into().downcast::<Self>() {
            Ok(error) => *error,
            Err(source) => {
                let model = source.downcast_ref::<ModelError>();
                let remedy = model.map_or(Remedy::DoNotRetry, |error| error.remedy);
                Self { remedy, usage: Usage::default(), source }
            }
        }
    }

    /// An error that is retried.
    pub fn retry_later(source: impl Into<Box<dyn Error + Send + Sync>>, after: Option<Duration>) -> Self {
        Self { remedy: Remedy::RetryLater { after }, ..Self::new(source) }
    }

    /// Sets the usage.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

/// The input of an attempt.
///
/// See [`actor_fn`] for an example.
#[derive(Clone)]
pub struct TrialContext {
    pub(crate) run_id: String,
    pub(crate) task: Task,
    pub(crate) trial: u32,
    pub(crate) candidate: u32,
    pub(crate) max_trials: u32,
    pub(crate) composed: Arc<Composed>,
    pub(crate) cancel: CancelToken,
    pub(crate) emitter: Emitter,
}

impl TrialContext {
    /// The task, followed by notes, memories and earlier attempts.
    pub fn prompt(&self) -> String {
        match self.context() {
            "" => self.task.text.clone(),
            context => format!("{}\n\n{context}", self.task.text),
        }
    }

    /// The text after the task: memories, notes, earlier attempts. Empty if there are none.
    ///
    /// It is neutralised and fits the prompt budget. For agents that put it elsewhere, such as into a system prompt.
    pub fn context(&self) -> &str {
        &self.composed.text
    }

    /// The task without additions.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The number of the trial, from 1.
    pub fn trial(&self) -> u32 {
        self.trial
    }

    /// The maximum number of trials.
    pub fn max_trials(&self) -> u32 {
        self.max_trials
    }

    /// The number of the candidate in the trial, from 1.
    pub fn candidate(&self) -> u32 {
        self.candidate
    }

    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// `run_id/trial/candidate`. A trial that is repeated after a crash has the same key, for tools that must act once.
    pub fn idempotency_key(&self) -> String {
        format!("{}/{}/{}", self.run_id, self.trial, self.candidate)
    }

    /// The notes in the prompt, the oldest first. Their texts are not neutralised.
    pub fn notes(&self) -> &[Note] {
        &self.composed.notes
    }

    /// The memories in the prompt, the best first. Their texts are not neutralised.
    pub fn memories(&self) -> &[RecalledMemory] {
        &self.composed.memories
    }

    /// The token that is cancelled with the run. The attempt is dropped anyway; the token is for work in other tasks.
    pub fn cancel_token(&self) -> &CancelToken {
        &self.cancel
    }

    /// Emits a piece of text.
    pub fn delta(&self, text: impl Into<String>) {
        let (trial_number, candidate) = (self.trial, self.candidate);
        self.emitter.emit(Event::Delta { trial_number, candidate, text: text.into() });
    }

    /// Emits a tool call.
    pub fn tool_call(&self, name: impl Into<String>, arguments: impl Into<Value>) {
        let (trial_number, candidate) = (self.trial, self.candidate);
        let (name, arguments) = (name.into(), arguments.into());
        self.emitter.emit(Event::ToolCall { trial_number, candidate, name, arguments });
    }

    /// Emits the result of a tool.
    pub fn tool_result(&self, name: impl Into<String>, result: impl Into<Value>) {
        let (trial_number, candidate) = (self.trial, self.candidate);
        let (name, result) = (name.into(), result.into());
        self.emitter.emit(Event::ToolResult { trial_number, candidate, name, result });
    }
}

impl fmt::Debug for TrialContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("TrialContext");
        shown.field("run_id", &self.run_id).field("trial", &self.trial).field("candidate", &self.candidate);
        shown.finish_non_exhaustive()
    }
}

/// The result type of an actor function: a text, an [`Attempt`], or a `Result` of either.
pub trait IntoAttempt {
    /// The attempt, or the error of the agent.
    fn into_attempt(self) -> Result<Attempt, ActorError>;
}

impl IntoAttempt for Attempt {
    fn into_attempt(self) -> Result<Attempt, ActorError> {
        Ok(self)
    }
}

impl IntoAttempt for String {
    fn into_attempt(self) -> Result<Attempt, ActorError> {
        Ok(self.into())
    }
}

impl IntoAttempt for &str {
    fn into_attempt(self) -> Result<Attempt, ActorError> {
        Ok(self.into())
    }
}

impl<T: Into<Attempt>, E: Into<Box<dyn Error + Send + Sync>>> IntoAttempt for Result<T, E> {
    fn into_attempt(self) -> Result<Attempt, ActorError> {
        self.map(Into::into).map_err(ActorError::new)
    }
}

/// An actor from a function, created by [`actor_fn`].
#[derive(Clone)]
pub struct ActorFn<F>(F);

/// Creates an actor from an async function that takes a [`TrialContext`].
///
/// ```
/// use reflexion_loop::{TrialContext, actor_fn};
///
/// async fn my_agent(prompt: String) -> Result<String, std::io::Error> {
///     Ok(format!("done: {prompt}"))
/// }
///
/// let actor = actor_fn(|cx: TrialContext| async move { my_agent(cx.prompt()).await });
/// # let _: &dyn reflexion_loop::Actor = &actor;
/// ```
pub fn actor_fn<F, Fut>(act: F) -> ActorFn<F>
where
    F: Fn(TrialContext) -> Fut + Send + Sync,
    Fut: Future<Output: IntoAttempt> + Send,
{
    ActorFn(act)
}

#[async_trait]
impl<F, Fut> Actor for ActorFn<F>
where
    F: Fn(TrialContext) -> Fut + Send + Sync,
    Fut: Future<Output: IntoAttempt> + Send,
{
    fn name(&self) -> &str {
        "actor_fn"
    }

    async fn attempt(&self, cx: TrialContext) -> Result<Attempt, ActorError> {
        (self.0)(cx).await.into_attempt()
    }
}

impl<F> fmt::Debug for ActorFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ActorFn")
    }
}
