//! Calls of components: with timeouts, retries and interruption.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use reflect_model::{Remedy, Usage};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{BoxError, StepError, StepResult};
use crate::budget::BudgetKind;
use crate::cancel::CancelToken;
use crate::options::Retries;
use crate::state::Stop;

pub(super) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The error of one call: its remedy, its usage and its cause.
pub(super) struct CallError {
    pub(super) remedy: Remedy,
    pub(super) usage: Usage,
    pub(super) source: BoxError,
}

impl CallError {
    /// A retry does not help.
    pub(super) fn permanent(source: BoxError) -> Self {
        Self { remedy: Remedy::DoNotRetry, usage: Usage::default(), source }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("it took longer than {0:?}")]
struct CallTimeout(Duration);

/// Calls until the call succeeds or a retry does not help. Also returns the usage of the failed calls.
pub(super) async fn with_retries<'a, T>(
    retries: Retries,
    limit: Option<Duration>,
    mut call: impl FnMut() -> BoxFuture<'a, Result<T, CallError>> + Send,
) -> Result<(T, Usage), CallError> {
    let mut wasted = Usage::default();
    let mut wait = retries.first_wait;
    let mut left = retries.times;
    loop {
        let result = match limit {
            None => call().await,
            Some(limit) => timeout(limit, call()).await.unwrap_or_else(|_| {
                // A call that timed out can succeed the next time.
                let remedy = Remedy::RetryLater { after: None };
                Err(CallError { remedy, usage: Usage::default(), source: CallTimeout(limit).into() })
            }),
        };
        let error = match result {
            Ok(value) => return Ok((value, wasted)),
            Err(error) => error,
        };
        wasted += error.usage;
        match error.remedy {
            Remedy::RetryLater { after } if left > 0 => {
                left -= 1;
                sleep(after.unwrap_or_default().max(wait).min(retries.longest_wait)).await;
                wait = wait.saturating_mul(2);
            }
            _ => return Err(CallError { usage: wasted, ..error }),
        }
    }
}

/// Yields once between two steps, to let the reader receive the events and cancel the run.
pub(super) async fn yield_now() {
    let mut yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// What interrupts a step while it waits.
#[derive(Clone)]
pub(super) struct Interrupt {
    pub(super) cancel: CancelToken,
    pub(super) deadline: Option<Instant>,
}

impl Interrupt {
    /// Runs the work until it completes, the run is cancelled or the deadline passes.
    pub(super) async fn run<T>(&self, work: impl Future<Output = T>) -> StepResult<T> {
        let mut work = pin!(work);
        let mut cancelled = pin!(self.cancel.cancelled());
        let mut late = pin!(async {
            match self.deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        });
        poll_fn(|cx| {
            if cancelled.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(StepError::Stopped(Stop::Cancelled)));
            }
            if late.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(StepError::Stopped(Stop::Budget(BudgetKind::Time))));
            }
            work.as_mut().poll(cx).map(Ok)
        })
        .await
    }
}
