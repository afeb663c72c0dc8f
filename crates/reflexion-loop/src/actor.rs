//! Whoever does the task: an agent, behind a function or a trait.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reflect_evaluation::{Attempt, Task};
use reflect_model::{ModelError, Remedy, Usage};
use serde_json::Value;

use crate::emitter::Emitter;
use crate::prompt::Composed;
use crate::{CancelToken, Event, Note, Recalled};

/// Whoever does the task.
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

    /// One attempt. Giving up is [`Attempt::failed`]; an error means that the agent itself did not work.
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

/// The agent did not work: no network, no key, a bug. It says nothing about the task.
///
/// See [`ActorError::new`] for an example.
#[derive(Debug, thiserror::Error)]
#[error("the actor did not work")]
pub struct ActorError {
    /// What can be done about it.
    pub remedy: Remedy,
    /// What was paid for nevertheless.
    pub usage: Usage,
    /// What happened.
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

impl ActorError {
    /// An error as it came. A [`ModelError`] or an `ActorError` inside keeps its remedy; any other is not retried.
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

    /// The same call may work later.
    pub fn retry_later(source: impl Into<Box<dyn Error + Send + Sync>>, after: Option<Duration>) -> Self {
        Self { remedy: Remedy::RetryLater { after }, ..Self::new(source) }
    }

    /// Adds what was paid for.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

/// What an attempt is given.
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
    /// The task, with everything that earlier trials and tasks have to say below it.
    pub fn prompt(&self) -> String {
        match self.context() {
            "" => self.task.text.clone(),
            context => format!("{}\n\n{context}", self.task.text),
        }
    }

    /// What stands below the task: memories, notes, earlier attempts. Empty if there is nothing to say.
    ///
    /// It is neutralised and within the prompt budget. For agents that have a place of their own for it.
    pub fn context(&self) -> &str {
        &self.composed.text
    }

    /// The task as it was given.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Which trial it is, from 1.
    pub fn trial(&self) -> u32 {
        self.trial
    }

    /// The most trials there may be.
    pub fn max_trials(&self) -> u32 {
        self.max_trials
    }

    /// Which candidate of the trial it is, from 1.
    pub fn candidate(&self) -> u32 {
        self.candidate
    }

    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// `run_id/trial/candidate`: the same when a trial is made again after a crash, for tools that must act once.
    pub fn idempotency_key(&self) -> String {
        format!("{}/{}/{}", self.run_id, self.trial, self.candidate)
    }

    /// The notes that are shown, the oldest first. Their texts are as they were written, not neutralised.
    pub fn notes(&self) -> &[Note] {
        &self.composed.notes
    }

    /// The memories that are shown, the best first. Their texts are as they were recalled, not neutralised.
    pub fn memories(&self) -> &[Recalled] {
        &self.composed.memories
    }

    /// Tells when the attempt is not wanted any more. It is dropped then anyway; this is for what runs elsewhere.
    pub fn cancel_token(&self) -> &CancelToken {
        &self.cancel
    }

    /// Passes on text as it comes.
    pub fn delta(&self, text: impl Into<String>) {
        let (trial_number, candidate) = (self.trial, self.candidate);
        self.emitter.emit(Event::Delta { trial_number, candidate, text: text.into() });
    }

    /// Says that a tool is called.
    pub fn tool_call(&self, name: impl Into<String>, arguments: impl Into<Value>) {
        let (trial_number, candidate) = (self.trial, self.candidate);
        let (name, arguments) = (name.into(), arguments.into());
        self.emitter.emit(Event::ToolCall { trial_number, candidate, name, arguments });
    }

    /// Says what a tool answered.
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

/// What a function may give for an attempt: a text, an [`Attempt`], or a `Result` of either.
pub trait IntoAttempt {
    /// The attempt, or why the agent did not work.
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

/// A function that acts. Made by [`actor_fn`].
#[derive(Clone)]
pub struct ActorFn<F>(F);

/// Makes an actor of an async function from a [`TrialContext`] to whatever can be an attempt.
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
