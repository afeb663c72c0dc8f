//! What each API key and each member uses, and its limits, so that one of them cannot take the server from the others.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use moka::future::Cache;
use reflect_types::Defence;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::error::ApiError;
use crate::limits::{CallerQuota, Limits};

/// Callers without a request for this time are forgotten.
const IDLE: Duration = Duration::from_secs(600);
const MOST_CALLERS: u64 = 100_000;

/// What a request uses while it is open. Each has limits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestLoad {
    Working,
    Waiting,
    Streaming,
}

/// Which limit of a caller a request exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    Rate,
    Requests,
    Waiting,
    Streams,
    Memory,
}

impl Limit {
    const fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Requests => "requests",
            Self::Waiting => "waiting",
            Self::Streams => "streams",
            Self::Memory => "memory",
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::Rate => "this key sends too many requests per second",
            Self::Requests => "this key has too many requests in progress",
            Self::Waiting => "this key has too many requests that wait",
            Self::Streams => "this key has too many open event streams; poll instead",
            Self::Memory => "the bodies of this key's requests take too much memory",
        }
    }
}

/// The response to a request beyond a limit of its caller.
pub(crate) fn limited(limit: Limit, seconds: u16) -> ApiError {
    metrics::counter!("reflect_http_requests_limited_total", "limit" => limit.name()).increment(1);
    let message = format!("{}; retry after {seconds} s", limit.message());
    ApiError::too_many_requests(message, seconds)
}

/// What one key or member uses. `None` for a limit that is disabled.
#[derive(Debug)]
pub(crate) struct CallerUse {
    rate: Option<DefaultDirectRateLimiter>,
    requests: Option<Arc<Semaphore>>,
    waiting: Option<Arc<Semaphore>>,
    streams: Option<Arc<Semaphore>>,
    kilobytes: Arc<Semaphore>,
}

impl CallerUse {
    fn new(quota: CallerQuota, kilobytes: usize) -> Self {
        let slots = |most: usize| (most > 0).then(|| Arc::new(Semaphore::new(most)));
        let rate = NonZeroU32::new(quota.per_second).map(|per_second| {
            let burst = per_second.saturating_mul(NonZeroU32::MIN.saturating_add(1));
            RateLimiter::direct(Quota::per_second(per_second).allow_burst(burst))
        });
        Self {
            rate,
            requests: slots(quota.requests),
            waiting: slots(quota.waiting),
            streams: slots(quota.streams),
            kilobytes: Arc::new(Semaphore::new(kilobytes)),
        }
    }

    /// The caller's part of the memory for bodies.
    pub(crate) fn kilobytes(&self) -> Option<Arc<Semaphore>> {
        Defence::RequestsPerKey.is_on().then(|| self.kilobytes.clone())
    }

    pub(crate) fn check_rate(&self) -> Result<(), ApiError> {
        let Some(rate) = self.rate.as_ref().filter(|_| Defence::RequestsPerKey.is_on()) else {
            return Ok(());
        };
        rate.check().map_err(|until| {
            let wait = until.wait_time_from(rate.clock().now());
            limited(Limit::Rate, u16::try_from(wait.as_secs()).unwrap_or(u16::MAX).saturating_add(1))
        })
    }

    /// A slot for the request. It is held until the response is sent.
    pub(crate) fn acquire(&self, load: RequestLoad) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        let (slots, limit, defence) = match load {
            RequestLoad::Working => (&self.requests, Limit::Requests, Defence::RequestsPerKey),
            RequestLoad::Waiting => (&self.waiting, Limit::Waiting, Defence::WaitsPerKey),
            RequestLoad::Streaming => (&self.streams, Limit::Streams, Defence::RequestsPerKey),
        };
        match slots.as_ref().filter(|_| defence.is_on()) {
            Some(slots) => slots.clone().try_acquire_owned().map(Some).map_err(|_| limited(limit, 1)),
            None => Ok(None),
        }
    }
}

/// What all keys and members use.
#[derive(Debug)]
pub(crate) struct CallerLimits {
    callers: Cache<Uuid, Arc<CallerUse>>,
    quota: CallerQuota,
    kilobytes: usize,
}

impl CallerLimits {
    pub(crate) fn new(limits: &Limits) -> Self {
        let callers = Cache::builder().max_capacity(MOST_CALLERS).time_to_idle(IDLE).build();
        Self { callers, quota: limits.per_caller, kilobytes: limits.bytes_per_caller().div_ceil(1024) }
    }

    /// What this caller uses.
    pub(crate) async fn of(&self, caller: Uuid) -> Arc<CallerUse> {
        let new = async { Arc::new(CallerUse::new(self.quota, self.kilobytes)) };
        self.callers.get_with(caller, new).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(quota: CallerQuota) -> CallerUse {
        CallerUse::new(quota, 1)
    }

    #[test]
    fn requests_that_wait_have_slots_of_their_own() {
        let caller = caller(CallerQuota { requests: 2, waiting: 1, streams: 1, per_second: 0 });
        let waiting = caller.acquire(RequestLoad::Waiting).unwrap();
        assert!(caller.acquire(RequestLoad::Waiting).is_err());
        assert!(
            caller.acquire(RequestLoad::Working).is_ok() && caller.acquire(RequestLoad::Streaming).is_ok()
        );
        drop(waiting);
        assert!(caller.acquire(RequestLoad::Waiting).is_ok());
    }

    #[test]
    fn zero_disables_a_limit() {
        let caller = caller(CallerQuota { requests: 0, waiting: 0, streams: 0, per_second: 0 });
        let held: Vec<_> = (0..10_000).map(|_| caller.acquire(RequestLoad::Waiting).unwrap()).collect();
        assert!(held.iter().all(Option::is_none));
        assert!((0..10_000).all(|_| caller.check_rate().is_ok()));
    }

    #[test]
    fn a_burst_may_be_twice_the_rate() {
        let caller = caller(CallerQuota { per_second: 10, ..CallerQuota::default() });
        let passed = (0..100).filter(|_| caller.check_rate().is_ok()).count();
        assert!((20..=22).contains(&passed), "{passed}");
    }
}
