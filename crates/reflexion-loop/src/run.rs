//! A running task, as the caller sees it.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::cancel::CancelToken;
use crate::driver::Driver;
use crate::emitter::Events;
use crate::event::Envelope;
use crate::outcome::{Outcome, RunError};

type RunFuture = Pin<Box<dyn Future<Output = Result<Outcome, RunError>> + Send>>;

/// A running task. It has no thread: it makes progress while the caller reads its events or awaits its outcome. Spawn a
/// task that awaits [`outcome`](Self::outcome) to run it in the background. Dropping it cancels the current step.
///
/// ```
/// use reflexion_loop::{Event, Reflexion, actor_fn, check_fn};
///
/// # extern crate tokio_lean as tokio;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let learner = Reflexion::builder()
///     .actor(actor_fn(|_| async { "42" }))
///     .evaluator(check_fn(|answer: &str| answer == "42"))
///     .max_trials(1)
///     .build()?;
///
/// let mut run = learner.start("What is six times seven?");
/// let mut ended = Vec::new();
/// while let Some(envelope) = run.next_event().await {
///     if let Event::TrialEnd { trial_number, success, .. } = envelope.event {
///         ended.push((trial_number, success));
///     }
/// }
/// assert_eq!(ended, [(1, true)]);
/// assert_eq!(run.outcome().await?.answer(), Some("42"));
/// # Ok(())
/// # }
/// ```
pub struct RunHandle {
    run_id: String,
    cancel: CancelToken,
    events: Events,
    future: Option<RunFuture>,
    result: Option<Result<Outcome, RunError>>,
}

impl RunHandle {
    pub(crate) fn new(driver: Driver, events: Events, cancel: CancelToken) -> Self {
        let run_id = driver.run_id().to_owned();
        Self { run_id, cancel, events, future: Some(Box::pin(driver.drive())), result: None }
    }

    /// Its id.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Cancels the run. The current step is dropped, and the outcome has [`Stop::Cancelled`](crate::Stop::Cancelled).
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// A token that cancels the run from another task or thread.
    pub fn cancel_token(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// The next event. `None` if the run has ended and all events were read.
    pub async fn next_event(&mut self) -> Option<Envelope> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    /// Waits for the outcome. Unread events are dropped.
    pub async fn outcome(mut self) -> Result<Outcome, RunError> {
        self.events.receiver.close();
        match (self.result.take(), self.future.take()) {
            (Some(result), _) => result,
            (None, Some(future)) => future.await,
            (None, None) => unreachable!("a run has either a future or a result"),
        }
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Envelope>> {
        loop {
            // `poll_recv` can return `Pending` although an event is queued (cooperative scheduling); `try_recv` cannot.
            if let Ok(envelope) = self.events.receiver.try_recv() {
                self.events.was_read(&envelope);
                return Poll::Ready(Some(envelope));
            }
            // A task that the actor spawned can still hold a sender. The reader must not wait for it.
            let Some(future) = &mut self.future else { return Poll::Ready(None) };
            match future.as_mut().poll(cx) {
                Poll::Ready(result) => {
                    self.result = Some(result);
                    self.future = None;
                }
                // A task of the actor can send events too. This poll registers the waker for them.
                Poll::Pending => match self.events.receiver.poll_recv(cx) {
                    Poll::Ready(Some(envelope)) => {
                        self.events.was_read(&envelope);
                        return Poll::Ready(Some(envelope));
                    }
                    Poll::Ready(None) | Poll::Pending => return Poll::Pending,
                },
            }
        }
    }
}

impl fmt::Debug for RunHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RunHandle");
        shown.field("run_id", &self.run_id).field("ended", &self.future.is_none()).finish_non_exhaustive()
    }
}
