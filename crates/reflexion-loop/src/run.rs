//! A run under way, as its caller holds it.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::driver::Driver;
use crate::emitter::Events;
use crate::{CancelToken, Envelope, Outcome, RunError};

type Driving = Pin<Box<dyn Future<Output = Result<Outcome, RunError>> + Send>>;

/// A run under way. It moves while somebody reads its events or awaits its outcome, and on no thread of its own; give
/// [`outcome`](Self::outcome) to a task of yours to let it go on by itself. Dropping it drops the work under way.
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
pub struct Run {
    run_id: String,
    cancel: CancelToken,
    events: Events,
    driving: Option<Driving>,
    came_out: Option<Result<Outcome, RunError>>,
}

impl Run {
    pub(crate) fn new(driver: Driver, events: Events, cancel: CancelToken) -> Self {
        let run_id = driver.run_id().to_owned();
        Self { run_id, cancel, events, driving: Some(Box::pin(driver.drive())), came_out: None }
    }

    /// Its id.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Says stop. The work under way is dropped, and the outcome says [`Stop::Cancelled`](crate::Stop::Cancelled).
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// What says stop from elsewhere.
    pub fn cancel_token(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// The next event. None when the run has ended and all were read.
    pub async fn next_event(&mut self) -> Option<Envelope> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    /// How it comes out. Events that were not read are gone.
    pub async fn outcome(mut self) -> Result<Outcome, RunError> {
        self.events.receiver.close();
        match (self.came_out.take(), self.driving.take()) {
            (Some(came_out), _) => came_out,
            (None, Some(driving)) => driving.await,
            (None, None) => unreachable!("a run either goes on or has come out"),
        }
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Envelope>> {
        loop {
            // Not by polling, which lets other tasks go first now and then and so says nothing about what is there.
            if let Ok(envelope) = self.events.receiver.try_recv() {
                self.events.was_read(&envelope);
                return Poll::Ready(Some(envelope));
            }
            // What a forgotten task of an actor still holds must not keep the reader waiting.
            let Some(driving) = &mut self.driving else { return Poll::Ready(None) };
            match driving.as_mut().poll(cx) {
                Poll::Ready(came_out) => {
                    self.came_out = Some(came_out);
                    self.driving = None;
                }
                // A task of the actor's may send as well; polling is what makes its events wake this reader.
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

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Run");
        shown.field("run_id", &self.run_id).field("ended", &self.driving.is_none()).finish_non_exhaustive()
    }
}
