//! Waiting for what may never come: with an end, with retries, and with an ear for whoever says stop.

use std::error::Error;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use reflect_model::{Remedy, Usage};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{Driver, Stepped, Unfinished};
use crate::{BudgetKind, CancelToken, Retries, Stop};

/// A future that can be kept and moved between threads.
pub(super) type Kept<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One try that failed: what can be done about it, what it cost, and what happened.
pub(super) struct Failed {
    pub(super) remedy: Remedy,
    pub(super) usage: Usage,
    pub(super) source: Box<dyn Error + Send + Sync>,
}

impl Failed {
    /// Waiting does not help.
    pub(super) fn for_good(source: Box<dyn Error + Send + Sync>) -> Self {
        Self { remedy: Remedy::DoNotRetry, usage: Usage::default(), source }
    }
}

/// A step took longer than it may.
#[derive(Debug, thiserror::Error)]
#[error("it took longer than {0:?}")]
struct TooLong(Duration);

/// Tries until it works or waiting does not help, and adds up what the failures cost.
pub(super) async fn retried<'a, T>(
    retries: Retries,
    limit: Option<Duration>,
    mut one_try: impl FnMut() -> Kept<'a, Result<T, Failed>> + Send,
) -> Result<(T, Usage), Failed> {
    let mut wasted = Usage::default();
    let mut wait = retries.first_wait;
    let mut left = retries.times;
    loop {
        let tried = match limit {
            None => one_try().await,
            Some(limit) => timeout(limit, one_try()).await.unwrap_or_else(|_| {
                // What hangs once may answer the next time.
                let remedy = Remedy::RetryLater { after: None };
                Err(Failed { remedy, usage: Usage::default(), source: TooLong(limit).into() })
            }),
        };
        let failed = match tried {
            Ok(value) => return Ok((value, wasted)),
            Err(failed) => failed,
        };
        wasted += failed.usage;
        match failed.remedy {
            Remedy::RetryLater { after } if left > 0 => {
                left -= 1;
                sleep(after.unwrap_or_default().max(wait).min(retries.longest_wait)).await;
                wait = wait.saturating_mul(2);
            }
            _ => return Err(Failed { usage: wasted, ..failed }),
        }
    }
}

/// Lets others go first, once: whoever reads the events sees them as they happen, and can say stop between two steps.
pub(super) async fn breathe() {
    let mut breathed = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut breathed, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// What a step listens to while it waits.
#[derive(Clone)]
pub(super) struct Ear {
    cancel: CancelToken,
    deadline: Option<Instant>,
}

impl Ear {
    /// The value, unless somebody says stop first or the time is up.
    pub(super) async fn listen<T>(&self, work: impl Future<Output = T>) -> Stepped<T> {
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
                return Poll::Ready(Err(Unfinished::Stopped(Stop::Cancelled)));
            }
            if late.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(Unfinished::Stopped(Stop::Budget(BudgetKind::Time))));
            }
            work.as_mut().poll(cx).map(Ok)
        })
        .await
    }
}

impl Driver {
    /// For work that is paid for: it stops when the time of the budget is up.
    pub(super) fn ear(&self) -> Ear {
        let left = self.parts.options.budget.time.map(|time| time.saturating_sub(self.elapsed_before));
        Ear { cancel: self.cancel.clone(), deadline: left.and_then(|left| self.began.checked_add(left)) }
    }

    /// For work that only tidies up: a budget does not stop it.
    pub(super) fn patient_ear(&self) -> Ear {
        Ear { cancel: self.cancel.clone(), deadline: None }
    }
}
